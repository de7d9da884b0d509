/// Finds control bytes eight at a time. In a request head, and in most event data, the only ones are line ends, so
/// this one search does both the cutting into lines and the refusal of NUL, DEL and their like.
enum ControlScan {
    private static let ones: UInt64 = 0x0101_0101_0101_0101
    private static let highBits: UInt64 = 0x8080_8080_8080_8080
    private static let spaces: UInt64 = 0x2020_2020_2020_2020
    private static let deletes: UInt64 = 0x7F7F_7F7F_7F7F_7F7F

    /// The index of the first byte below 0x20 or equal to 0x7F at or after `start`, or `bytes.count` when there is none.
    static func first(in bytes: UnsafeRawBufferPointer, from start: Int) -> Int {
        var index = start
        // A borrow can only mark bytes above the first true hit, so the lowest mark is always right.
        while bytes.count - index >= 8 {
            let word = UInt64(littleEndian: bytes.loadUnaligned(fromByteOffset: index, as: UInt64.self))
            let difference = word ^ deletes
            let low = (word &- spaces) & ~word
            let equal = (difference &- ones) & ~difference
            let marks = (low | equal) & highBits
            if marks != 0 { return index + marks.trailingZeroBitCount / 8 }
            index += 8
        }
        while index < bytes.count {
            let byte = bytes[index]
            if byte < ASCII.space || byte == ASCII.delete { return index }
            index += 1
        }
        return index
    }

    /// Appends `bytes` without their control bytes: what a line of a head or of an event stream may hold.
    static func append(withoutControls bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        var start = 0
        while start < bytes.count {
            let stop = first(in: bytes, from: start)
            buffer.append(UnsafeRawBufferPointer(rebasing: bytes[start..<stop]))
            start = stop + 1
        }
    }
}
