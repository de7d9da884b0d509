import Testing

@testable import TiffinLiveCore

@Suite("HTML, Server-sent events: the event stream format")
struct EventStreamEncoderTests {
    private func encoded(event: String? = nil, id: String? = nil, data: String) -> String {
        let buffer = ByteBuffer()
        EventStreamEncoder.append(event: event, id: id, data: data, to: buffer)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    /// What a browser makes of a stream: the algorithm of the standard, §9.2.6.
    private struct Received: Equatable {
        var event: String
        var id: String
        var data: String
    }

    private func received(_ stream: String) -> [Received] {
        var events: [Received] = []
        var event = ""
        var id = ""
        var data: [UInt8] = []
        var lines: [[UInt8]] = [[]]
        var previous: UInt8 = 0
        for byte in stream.utf8 {
            switch byte {
            case 10 where previous == 13: break
            case 10, 13: lines.append([])
            default: lines[lines.count - 1].append(byte)
            }
            previous = byte
        }
        for line in lines.dropLast() {
            if line.isEmpty {
                if !data.isEmpty {
                    let text = String(decoding: data.dropLast(), as: UTF8.self)
                    events.append(Received(event: event.isEmpty ? "message" : event, id: id, data: text))
                }
                (event, data) = ("", [])
                continue
            }
            let colon = line.firstIndex(of: 58) ?? line.count
            var value = line.dropFirst(colon + 1)
            if value.first == 32 { value = value.dropFirst() }
            switch String(decoding: line[..<colon], as: UTF8.self) {
            case "event": event = String(decoding: value, as: UTF8.self)
            case "data": data += value + [10]
            case "id" where !value.contains(0): id = String(decoding: value, as: UTF8.self)
            default: break
            }
        }
        return events
    }

    @Test("an event is written as id, event and data lines and an empty line")
    func block() {
        #expect(
            encoded(event: "status", id: "1764500000000-0", data: "{\"a\":1}")
                == "id: 1764500000000-0\nevent: status\ndata: {\"a\":1}\n\n")
        #expect(encoded(data: "x") == "data: x\n\n")
        #expect(encoded(event: "", data: "x") == "data: x\n\n")
        #expect(encoded(id: "", data: "x") == "id: \ndata: x\n\n")
        #expect(encoded(data: "") == "data: \n\n")
    }

    static let payloads: [String] = [
        "", " ", "a", " a", "  a", ":a", "\n", "\r", "\r\n", "a\n", "a\r", "a\r\n", "\na", "a\nb", "a\rb", "a\r\nb",
        "a\n\nb", "a\r\rb", "a\n\rb", "a\r\n\r\nb", "id: 9", "a\nid: 9", "a\rid: 9\revent: close\r\r", "data: x\n\n",
        "a\n\nevent: close\ndata: {\"code\":4003}\n\n", "\u{2028}\u{2029}\u{85}", "\u{1F600}\n\u{1F600}", "\t\ttabs\t",
        "\u{1B}[2J\u{7F}\u{1}", "\u{FEFF}bom", String(repeating: "a", count: 100_000),
        String(repeating: "ab\n", count: 1000), String(repeating: "\r", count: 1000), "12345678\n12345678\r\n12345678",
    ]

    @Test("the client gets the identical text, with line ends folded to line feeds", arguments: payloads)
    func payload(_ text: String) {
        var folded: [UInt8] = []
        var previous: UInt8 = 0
        for byte in text.utf8 {
            if byte == 13 { folded.append(10) } else if byte != 10 || previous != 13 { folded.append(byte) }
            previous = byte
        }
        let expected = Received(event: "status", id: "7", data: String(decoding: folded, as: UTF8.self))
        #expect(received(encoded(event: "status", id: "7", data: text)) == [expected])
    }

    @Test(
        "a name or an id cannot begin another line, and NUL is never sent",
        arguments: ["a\ndata: x", "a\rdata: x", "a\r\n\r\ndata: x", "\n\n", "\u{0}", "a\u{0}b", ": a", " a"])
    func hostileNames(_ text: String) {
        let stream = encoded(event: text, id: text, data: "d\u{0}d")
        #expect(received(stream).map(\.data) == ["dd"])
        #expect(stream.utf8.filter { $0 == 10 }.count == 4)
        #expect(!stream.utf8.contains(13) && !stream.utf8.contains(0))
    }

    @Test("NUL inside data is dropped wherever it stands", arguments: ["\u{0}", "\u{0}\n\u{0}", "a\u{0}\u{0}b\u{0}"])
    func nulls(_ text: String) {
        let expected = text.replacing("\u{0}", with: "")
        #expect(received(encoded(data: text)).map(\.data) == [expected])
    }

    @Test("blocks follow each other without carrying anything over but the id")
    func sequence() {
        let stream = encoded(event: "a", id: "1", data: "x") + encoded(data: "y") + encoded(id: "2", data: "")
        #expect(
            received(stream) == [
                Received(event: "a", id: "1", data: "x"), Received(event: "message", id: "1", data: "y"),
                Received(event: "message", id: "2", data: ""),
            ])
    }

    @Test("retry and comments fire no event")
    func retryAndComment() {
        let buffer = ByteBuffer()
        EventStreamEncoder.append(retryMilliseconds: 2300, to: buffer)
        EventStreamEncoder.append(retryMilliseconds: -1, to: buffer)
        EventStreamEncoder.append(comment: "heartbeat", to: buffer)
        let stream = String(decoding: buffer.bytes, as: UTF8.self)
        #expect(stream == "retry: 2300\nretry: 0\n: heartbeat\n\n")
        #expect(received(stream).isEmpty)
    }

    @Test("bytes that are no UTF-8 pass as they are and break nothing")
    func invalidBytes() {
        let buffer = ByteBuffer()
        let data: [UInt8] = [0xC3, 0x0A, 0x28, 0xFF]
        data.withUnsafeBytes {
            EventStreamEncoder.append(event: nil, id: nil, data: $0, to: buffer)
        }
        #expect(buffer.array == Array("data: ".utf8) + [0xC3] + Array("\ndata: ".utf8) + [0x28, 0xFF, 10, 10])
    }
}
