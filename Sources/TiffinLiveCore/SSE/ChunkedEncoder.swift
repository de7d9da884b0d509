/// The chunked transfer coding of a response body (RFC 9112 §7.1), without extensions and trailers.
enum ChunkedEncoder {
    private static let sizeDigits = 8

    /// An empty `chunk` writes nothing: as a chunk it would end the body.
    static func append(chunk: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        guard !chunk.isEmpty else { return }
        let slot = begin(in: buffer)
        buffer.append(chunk)
        end(slot, in: buffer)
    }

    static func appendLast(to buffer: ByteBuffer) {
        buffer.append("0\r\n\r\n")
    }

    /// Leaves room for the size of a chunk that is then encoded in place. The answer goes to `end`.
    static func begin(in buffer: ByteBuffer) -> Int {
        let slot = buffer.count
        buffer.append("00000000\r\n")
        return slot
    }

    /// Fills in the size of what was written since `begin`; takes the chunk back when that was nothing.
    static func end(_ slot: Int, in buffer: ByteBuffer) {
        let size = buffer.count - slot - sizeDigits - 2
        precondition(size >= 0 && size <= UInt32.max, "begin and end of a chunk do not belong together")
        guard size > 0 else {
            buffer.truncate(to: slot)
            return
        }
        // Leading zeros are part of the grammar: chunk-size = 1*HEXDIG.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: sizeDigits) { digits in
            for index in 0..<sizeDigits {
                let digit = UInt8(truncatingIfNeeded: size >> ((sizeDigits - 1 - index) * 4)) & 15
                digits.initializeElement(at: index, to: digit < 10 ? ASCII.zero + digit : 0x61 - 10 + digit)
            }
            buffer.overwrite(at: slot, with: UnsafeRawBufferPointer(digits))
        }
        buffer.append("\r\n")
    }
}
