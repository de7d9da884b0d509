/// The masking key of a frame (RFC 6455 §5.3), turned so that its first byte belongs to the next byte of the payload:
/// a payload may come in pieces of any size.
struct MaskingKey: Equatable, Sendable {
    /// The four bytes; the one for the next payload byte is the least significant.
    private var word: UInt32

    /// Takes the key from the first four bytes, which must be there.
    init(_ bytes: UnsafeRawBufferPointer) {
        word = UInt32(littleEndian: bytes.loadUnaligned(as: UInt32.self))
    }

    /// Unmasks (or masks) `bytes` where they are and turns the key for the bytes that follow. Goes by words of eight
    /// bytes: a loop over single bytes costs 25 times as much.
    mutating func apply(to bytes: UnsafeMutableRawBufferPointer) {
        guard var pointer = bytes.baseAddress else { return }
        let pattern = ((UInt64(word) << 32) | UInt64(word)).littleEndian
        var rest = bytes.count
        while rest >= 8 {
            let value = pointer.loadUnaligned(as: UInt64.self) ^ pattern
            pointer.storeBytes(of: value, as: UInt64.self)
            pointer += 8
            rest &-= 8
        }
        while rest > 0 {
            pointer.storeBytes(
                of: pointer.load(as: UInt8.self) ^ UInt8(truncatingIfNeeded: word), as: UInt8.self)
            word = (word >> 8) | (word << 24)
            pointer += 1
            rest &-= 1
        }
    }
}
