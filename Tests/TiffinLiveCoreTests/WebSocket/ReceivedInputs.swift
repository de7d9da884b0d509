import Testing

@testable import TiffinLiveCore

/// What a connection made of a stream of bytes: copies of all inputs in order, and the code it failed with.
struct ReceivedInputs: Equatable {
    enum Input: Equatable {
        case text(String)
        case binary([UInt8])
        case ping(String)
        case pong(String)
        case close(UInt16?, String)
    }

    var inputs: [Input] = []
    var failure: UInt16?
    /// How many chunks had been fed when the failure came.
    var failedChunk: Int?

    init(_ inputs: [Input] = [], failure: UInt16? = nil) {
        self.inputs = inputs
        self.failure = failure
    }

    /// Feeds the chunks one by one, each from a block of memory of its own that is overwritten afterwards.
    init(feeding chunks: [[UInt8]], limit: Int = 65_536) {
        var connection = WebSocketConnection()
        for (index, chunk) in chunks.enumerated() {
            let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk.count, alignment: 16)
            defer { storage.deallocate() }
            storage.copyBytes(from: chunk)
            var input = storage
            do throws(WebSocketError) {
                while let received = try connection.next(&input, messageLimit: limit) {
                    inputs.append(Input(received))
                }
            } catch {
                if failure == nil { failedChunk = index }
                failure = error.closeCode.rawValue
            }
            storage.initializeMemory(as: UInt8.self, repeating: 0xEE)
        }
    }

    /// The outcome by inputs and failure alone.
    static func == (one: ReceivedInputs, other: ReceivedInputs) -> Bool {
        one.inputs == other.inputs && one.failure == other.failure
    }

    /// The same outcome for every chunking, or an issue.
    static func check(_ bytes: [UInt8], limit: Int = 65_536) -> ReceivedInputs {
        ChunkedFeed.check(bytes) { ReceivedInputs(feeding: $0, limit: limit) }
    }
}

extension ReceivedInputs.Input {
    init(_ input: WebSocketInput) {
        switch input {
        case .text(let bytes): self = .text(String(decoding: bytes, as: UTF8.self))
        case .binary(let bytes): self = .binary([UInt8](bytes))
        case .ping(let bytes): self = .ping(String(decoding: bytes, as: UTF8.self))
        case .pong(let bytes): self = .pong(String(decoding: bytes, as: UTF8.self))
        case .close(let code, let reason):
            self = .close(code?.rawValue, String(decoding: reason, as: UTF8.self))
        }
    }
}
