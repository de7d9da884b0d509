import Testing

@testable import TiffinLiveCore

/// Reads what a client got, strictly: a byte out of place fails the test.
extension HarnessClient {
    // MARK: HTTP

    /// The next response with its body, or a head alone (101, event streams, answers to HEAD).
    func response(headOnly: Bool = false) throws -> RawResponse {
        var response = try RawResponse(head: try take(through: [13, 10, 13, 10], "a response head"))
        guard !headOnly, response.status != 101, response.only("Transfer-Encoding") == nil,
            let length = response.only("Content-Length").flatMap({ Int($0) })
        else { return response }
        response.body = try take(length, "a body")
        return response
    }

    /// A response behind which nothing comes but the end.
    func lastResponse(headOnly: Bool = false) throws -> RawResponse {
        let response = try response(headOnly: headOnly)
        try expectEnd()
        return response
    }

    func expectEnd() throws {
        guard pending.isEmpty else { throw RawClientError.unexpected("\(pending.count) bytes before the end") }
        guard hasSentEnd else { throw RawClientError.unexpected("no end") }
    }

    // MARK: Frames

    /// The next frame; nil when there is none.
    func frame() throws -> RawFrame? {
        guard !pending.isEmpty else { return nil }
        let start = try take(2, "a frame")
        guard start[0] & 0x70 == 0, start[1] & 0x80 == 0 else { throw RawClientError.malformed("frame \(start)") }
        var length = Int(start[1] & 0x7F)
        if length == 126 {
            length = try take(2, "a length").reduce(0) { $0 << 8 | Int($1) }
        } else if length == 127 {
            length = try take(8, "a length").reduce(0) { $0 << 8 | Int($1) }
        }
        let payload = try take(length, "a payload")
        return RawFrame(opcode: start[0] & 0x0F, payload: payload, isFinal: start[0] & 0x80 != 0)
    }

    func frames() throws -> [RawFrame] {
        var frames: [RawFrame] = []
        while let frame = try frame() { frames.append(frame) }
        return frames
    }

    /// The messages that wait to be read; no other frame may be among them.
    func texts() throws -> [String] {
        try frames().map { frame in
            guard frame.opcode == RawFrame.text, frame.isFinal else {
                throw RawClientError.unexpected("\(frame) among messages")
            }
            return frame.text
        }
    }

    func messages() throws -> [JSONObject] {
        try texts().map { try #require(try JSONReader.read(Array($0.utf8)).objectValue) }
    }

    /// The only message that waits.
    func message() throws -> JSONObject {
        let messages = try messages()
        guard messages.count == 1 else { throw RawClientError.unexpected("\(messages.count) messages: \(messages)") }
        return messages[0]
    }

    /// The close, as the last frame and followed by the end. Messages in front of it fail the test unless told.
    func close(passingOverMessages: Bool = false) throws -> (code: Int?, reason: String) {
        let frames = try frames()
        guard let close = frames.last, close.opcode == RawFrame.close else {
            throw RawClientError.unexpected("no close in \(frames)")
        }
        guard passingOverMessages || frames.count == 1 else { throw RawClientError.unexpected("\(frames)") }
        guard !frames.dropLast().contains(where: { $0.opcode == RawFrame.close }) else {
            throw RawClientError.unexpected("two closes")
        }
        try expectEnd()
        guard close.payload.count >= 2 else { return (nil, "") }
        return (
            Int(close.payload[0]) << 8 | Int(close.payload[1]), String(decoding: close.payload[2...], as: UTF8.self)
        )
    }

    // MARK: Event streams

    /// The blocks of the event stream that wait to be read. `isStreamOver` is set by the last chunk.
    func blocks() throws -> [RawEvent] {
        if isStreamChunked == true {
            while !pending.isEmpty {
                guard !isStreamOver else { throw RawClientError.unexpected("bytes behind the last chunk") }
                let size = try take(through: [13, 10], "a chunk size").dropLast(2)
                guard let length = Int(String(decoding: size, as: UTF8.self), radix: 16) else {
                    throw RawClientError.malformed("chunk size \(size)")
                }
                streamText += try take(length, "a chunk")
                guard try take(2, "a chunk's end") == [13, 10] else { throw RawClientError.malformed("chunk end") }
                isStreamOver = length == 0
            }
        } else {
            streamText += pending
            pending = []
        }
        var blocks: [RawEvent] = []
        while let end = streamText.firstIndex(of: [10, 10]) {
            blocks.append(Self.block(streamText[..<end]))
            streamText.removeFirst(end + 2)
        }
        return blocks
    }

    /// The events that wait, without comments and blocks that carry no data.
    func events() throws -> [RawEvent] {
        try blocks().filter { $0.data != nil }
    }

    private static func block(_ text: ArraySlice<UInt8>) -> RawEvent {
        var block = RawEvent()
        for line in text.split(separator: 10, omittingEmptySubsequences: false) {
            let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
            var bytes = parts.count == 2 ? parts[1] : []
            if bytes.first == 0x20 { bytes.removeFirst() }
            let value = String(decoding: bytes, as: UTF8.self)
            switch String(decoding: parts[0], as: UTF8.self) {
            case "": block.comments.append(value)
            case "id": block.id = value
            case "event": block.event = value
            case "retry": block.retry = value
            case "data": block.data = block.data.map { $0 + "\n" + value } ?? value
            default: Issue.record("a field of no event stream: \(String(decoding: line, as: UTF8.self))")
            }
        }
        return block
    }

    // MARK: Bytes

    private func take(_ count: Int, _ what: String) throws -> [UInt8] {
        guard pending.count >= count else {
            throw RawClientError.ended(.finished, waitingFor: what, received: Array(pending))
        }
        let bytes = Array(pending.prefix(count))
        pending.removeFirst(count)
        return bytes
    }

    private func take(through mark: [UInt8], _ what: String) throws -> [UInt8] {
        guard let index = Array(pending).firstIndex(of: mark) else {
            throw RawClientError.ended(.finished, waitingFor: what, received: Array(pending))
        }
        return try take(index + mark.count, what)
    }
}

extension [UInt8] {
    /// Where `mark` first begins.
    func firstIndex(of mark: [UInt8]) -> Int? {
        guard count >= mark.count else { return nil }
        return (0...(count - mark.count)).first { self[$0..<($0 + mark.count)].elementsEqual(mark) }
    }
}
