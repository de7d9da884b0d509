@testable import TiffinLiveCore

/// Frames and messages: the same however they are cut, within the limit, text only as UTF-8, nothing after the end.
enum FuzzWebSocket {
    struct Outcome: Equatable {
        var inputs: [String] = []
        var failure: UInt16?
    }

    private static let limit = 300

    static func run(_ bytes: [UInt8]) {
        Chunking.check(bytes, decode)
    }

    private static func decode(_ chunks: [[UInt8]]) -> Outcome {
        var connection = WebSocketConnection()
        var outcome = Outcome()
        var isOver = false
        for chunk in chunks {
            let storage = UnsafeMutableRawBufferPointer.allocate(byteCount: chunk.count, alignment: 1)
            defer { storage.deallocate() }
            storage.copyBytes(from: chunk)
            var input = storage
            do throws(WebSocketError) {
                while let received = try connection.next(&input, messageLimit: limit) {
                    check(!isOver, "something after the end")
                    if case .close = received { isOver = true }
                    outcome.inputs.append(describe(received))
                }
                check(input.isEmpty, "input left over")
            } catch {
                check(!isOver, "an error after the end")
                check(error.closeCode.mayBeSent, "close code \(error.closeCode)")
                isOver = true
                outcome.failure = error.closeCode.rawValue
            }
        }
        check(connection.isOver == isOver, "over or not")
        return outcome
    }

    private static func describe(_ input: WebSocketInput) -> String {
        switch input {
        case .text(let bytes):
            check(bytes.count <= limit, "text of \(bytes.count)")
            guard let text = String(validUTF8: bytes) else { fatalError("text that is no UTF-8") }
            return "text \(text)"
        case .binary(let bytes):
            check(bytes.count <= limit, "binary of \(bytes.count)")
            return "binary \([UInt8](bytes))"
        case .ping(let bytes):
            check(bytes.count <= 125, "ping of \(bytes.count)")
            return "ping \([UInt8](bytes))"
        case .pong(let bytes):
            check(bytes.count <= 125, "pong of \(bytes.count)")
            return "pong \([UInt8](bytes))"
        case .close(let code, let reason):
            guard let text = String(validUTF8: reason) else { fatalError("reason that is no UTF-8") }
            check(code?.mayBeReceived != false && reason.count <= 123, "close \(text)")
            return "close \(code?.rawValue ?? 0) \(text)"
        }
    }
}
