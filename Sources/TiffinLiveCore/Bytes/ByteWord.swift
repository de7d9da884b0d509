/// Eight bytes looked at in one step, so that the long plain stretches of a text cost an eighth of a byte loop.
/// Only asks whether a byte occurs, not where; the caller finds the place byte by byte.
struct ByteWord {
    static let size = 8
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080

    let bits: UInt64

    /// Reads `bytes[offset..<offset + 8]`, all of which must exist.
    @inline(__always)
    init(_ bytes: UnsafeRawBufferPointer, at offset: Int) {
        bits = bytes.loadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }

    @inline(__always)
    func contains(_ byte: UInt8) -> Bool {
        let difference = bits ^ (Self.ones &* UInt64(byte))
        return (difference &- Self.ones) & ~difference & Self.highBits != 0
    }

    /// `limit` is at most 128.
    @inline(__always)
    func containsByte(below limit: UInt8) -> Bool {
        (bits &- Self.ones &* UInt64(limit)) & ~bits & Self.highBits != 0
    }
}
