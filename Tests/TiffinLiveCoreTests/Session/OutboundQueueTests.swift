import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.9: output that waits")
struct OutboundQueueTests {
    typealias Framing = OutboundQueue.Framing

    static let framings: [Framing] = [.webSocket, .chunked, .eventStream]

    /// A message of about `count` bytes as this server frames it.
    static func message(_ framing: Framing, _ count: Int, _ number: Int = 0) -> [UInt8] {
        let buffer = ByteBuffer()
        let filler = [UInt8](repeating: 0x61 + UInt8(number % 26), count: count)
        filler.withUnsafeBytes { filler in
            switch framing {
            case .webSocket: FrameEncoder.append(.text, filler, to: buffer)
            case .chunked: ChunkedEncoder.append(chunk: filler, to: buffer)
            case .eventStream: EventStreamEncoder.append(event: "e", id: nil, data: filler, to: buffer)
            }
        }
        return buffer.array
    }

    static func head(_ framing: Framing) -> [UInt8] {
        switch framing {
        case .webSocket: Array("HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\n\r\n".utf8)
        case .chunked, .eventStream: Array("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n".utf8)
        }
    }

    private static func queue(_ bytes: [UInt8], sent: Int) -> OutboundQueue {
        bytes.withUnsafeBytes { OutboundQueue($0, sentBytes: sent) }
    }

    private static func append(_ bytes: [UInt8], to queue: OutboundQueue) {
        bytes.withUnsafeBytes { queue.append($0) }
    }

    @Test("what was sent goes, what was not stays, in order", arguments: framings)
    func partial(framing: Framing) {
        let bytes = Self.message(framing, 100) + Self.message(framing, 10, 1)
        let queue = Self.queue(bytes, sent: 7)
        #expect(Array(queue.unsent) == Array(bytes[7...]))
        Self.append([1, 2, 3], to: queue)
        var taken = Array(bytes[..<7])
        while !queue.isEmpty {
            let step = min(3, queue.count)
            taken += queue.unsent.prefix(step)
            queue.removeSent(step, framing: framing)
        }
        #expect(taken == bytes + [1, 2, 3])
        #expect(queue.count == 0)
        #expect(queue.unsent.isEmpty)
    }

    @Test("message lengths are found at every size that changes the form of a length", arguments: framings)
    func lengths(framing: Framing) {
        for size in [1, 2, 125, 126, 127, 255, 256, 4095, 4096, 65_535, 65_536, 70_000] {
            let message = Self.message(framing, size)
            let more = message + Self.message(framing, 5, 1)
            let length = more.withUnsafeBytes { OutboundQueue.messageLength($0, framing: framing) }
            #expect(length == message.count, "\(size)")
        }
    }

    @Test("empty frames, pings, closes and the last chunk are messages as well")
    func shortMessages() {
        let ping = ByteBuffer()
        FrameEncoder.append(.ping, UnsafeRawBufferPointer(start: nil, count: 0), to: ping)
        #expect(OutboundQueue.messageLength(ping.bytes, framing: .webSocket) == 2)
        let close = ByteBuffer()
        FrameEncoder.appendClose(.revoked, reason: "revoked", to: close)
        #expect(OutboundQueue.messageLength(close.bytes, framing: .webSocket) == close.count)
        let last = ByteBuffer()
        ChunkedEncoder.appendLast(to: last)
        #expect(OutboundQueue.messageLength(last.bytes, framing: .chunked) == last.count)
        let comment = ByteBuffer()
        EventStreamEncoder.append(comment: "", to: comment)
        #expect(OutboundQueue.messageLength(comment.bytes, framing: .eventStream) == comment.count)
    }

    @Test("a response head in front is a message of its own", arguments: framings)
    func heads(framing: Framing) {
        let head = Self.head(framing)
        let bytes = head + Self.message(framing, 50)
        #expect(bytes.withUnsafeBytes { OutboundQueue.messageLength($0, framing: framing) } == head.count)
    }

    @Test("what does not look like a message counts as one", arguments: framings)
    func unsound(framing: Framing) {
        for bytes: [UInt8] in [
            [], [0x81], [0x81, 126, 1], Array("HTTP/1.1 200".utf8), Array("zzz".utf8), Array("data: x".utf8),
        ] {
            let length = bytes.withUnsafeBytes { OutboundQueue.messageLength($0, framing: framing) }
            #expect(length <= max(bytes.count, 0))
        }
    }

    @Test(
        "discarding drops whole messages and finishes the one that has begun, wherever it stands", arguments: framings)
    func discard(framing: Framing) {
        let messages = [Self.head(framing)] + (0..<4).map { Self.message(framing, 20, $0) }
        let all = messages.flatMap(\.self)
        var boundaries = [0]
        for message in messages { boundaries.append(boundaries[boundaries.count - 1] + message.count) }
        for sent in 0..<all.count {
            let queue = Self.queue(all, sent: sent)
            queue.discardUnstarted(framing: framing, keepingLast: 0)
            let end = boundaries.contains(sent) ? sent : boundaries.first { $0 > sent } ?? all.count
            #expect(Array(queue.unsent) == Array(all[sent..<end]), "sent \(sent)")
            Self.append([9, 9], to: queue)
            #expect(Array(queue.unsent) == Array(all[sent..<end]) + [9, 9])
        }
    }

    @Test("and keeps the close at the end, never twice and never cut", arguments: framings)
    func discardKeepingLast(framing: Framing) {
        let messages = (0..<4).map { Self.message(framing, 20, $0) }
        let close = Self.message(framing, 9, 25)
        let all = messages.flatMap(\.self) + close
        let body = all.count - close.count
        for sent in 0..<all.count {
            let queue = Self.queue(all, sent: sent)
            queue.discardUnstarted(framing: framing, keepingLast: close.count)
            let size = messages[0].count
            let end = sent >= body ? body : (sent + size - 1) / size * size
            let expected = sent >= body ? Array(all[sent...]) : Array(all[sent..<end]) + close
            #expect(Array(queue.unsent) == expected, "sent \(sent)")
            queue.discardUnstarted(framing: framing, keepingLast: close.count)
            #expect(Array(queue.unsent) == expected)
        }
    }

    @Test("a close of two chunks, the last of them empty, is kept whole wherever sending stands in it")
    func discardInsideTheClose() {
        let event = Self.message(.chunked, 20)
        let close = ByteBuffer()
        close.append(Self.message(.chunked, 9, 25))
        ChunkedEncoder.appendLast(to: close)
        let all = event + close.array
        for sent in event.count..<all.count {
            let queue = Self.queue(all, sent: sent)
            queue.discardUnstarted(framing: .chunked, keepingLast: close.count)
            #expect(Array(queue.unsent) == Array(all[sent...]), "sent \(sent)")
        }
    }

    @Test("what was sent long ago is given up without a byte of the rest being lost", arguments: framings)
    func compaction(framing: Framing) {
        let message = Self.message(framing, 1000)
        let queue = Self.queue(message, sent: 1)
        for _ in 0..<500 {
            Self.append(message, to: queue)
            queue.removeSent(message.count, framing: framing)
            #expect(queue.count == message.count - 1)
        }
        #expect(Array(queue.unsent) == Array(message[1...]))
    }

    /// The queue as a list of messages with a count of bytes sent.
    struct Model {
        var messages: [[UInt8]]
        var sent: Int

        var unsent: [UInt8] { Array(messages.flatMap(\.self).dropFirst(sent)) }

        mutating func removeSent(_ count: Int) {
            sent += count
            while let first = messages.first, sent >= first.count {
                sent -= first.count
                messages.removeFirst()
            }
        }

        mutating func discard() {
            messages = sent > 0 ? Array(messages.prefix(1)) : []
        }
    }

    @Test("a seeded sequence of everything behaves like a list of messages", arguments: framings, 0..<8)
    func model(framing: Framing, seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        let first = [Self.head(framing), Self.message(framing, 300)]
        let queue = Self.queue(first.flatMap(\.self), sent: 0)
        var model = Model(messages: first, sent: 0)
        for step in 0..<200 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                let size = [5, 125, 126, 3000, 20_000, 70_000].randomElement(using: &random) ?? 5
                let message = Self.message(framing, size, step)
                Self.append(message, to: queue)
                model.messages.append(message)
            case 4..<9:
                let most = Bool.random(using: &random) ? queue.count : min(queue.count, 5000)
                let count = Int.random(in: 0...most, using: &random)
                queue.removeSent(count, framing: framing)
                model.removeSent(count)
            default:
                guard step % 3 == 0 else { continue }
                queue.discardUnstarted(framing: framing, keepingLast: 0)
                model.discard()
            }
            guard step % 5 == 0 else { continue }
            guard Array(queue.unsent) == model.unsent else {
                Issue.record("step \(step)")
                return
            }
        }
    }
}

extension OutboundQueue.Framing: CustomTestStringConvertible {
    public var testDescription: String {
        switch self {
        case .webSocket: "frames"
        case .chunked: "chunks"
        case .eventStream: "blocks"
        }
    }
}
