/// The front of a frame's head whose rest has not come yet: 1 to 13 bytes, kept in place without a heap block.
struct PartialFrameHeader: Sendable {
    private var bytes = InlineArray<15, UInt8>(repeating: 0)
    private var count: UInt8 = 0

    /// Takes bytes off the front of `input`, no more than the head needs, and gives the head when it is complete.
    mutating func receive(_ input: inout UnsafeMutableRawBufferPointer) throws(WebSocketError) -> FrameHeader? {
        while let byte = input.first {
            input = UnsafeMutableRawBufferPointer(rebasing: input.dropFirst())
            bytes[Int(count)] = byte
            count += 1
            if let header = try read() { return header }
        }
        return nil
    }

    private func read() throws(WebSocketError) -> FrameHeader? {
        let storage = bytes.span
        return try storage.withUnsafeBytes { (all: UnsafeRawBufferPointer) throws(WebSocketError) -> FrameHeader? in
            try FrameHeader.read(UnsafeRawBufferPointer(rebasing: all.prefix(Int(count))))?.header
        }
    }
}
