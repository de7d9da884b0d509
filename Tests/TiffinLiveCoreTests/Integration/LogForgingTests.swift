import Testing

@testable import TiffinLiveCore

/// Outside text on the wire (contract section 11): wherever it comes in, a log line stays one valid JSON object whose
/// fixed members nobody overrides, with values cut.
@Suite("Outside text in the log")
struct LogForgingTests {
    private static let hostile: [[UInt8]] = [
        Array(#"x","level":"error","event":"forged"#.utf8), Array(#"\",\u0000\n{"level":"error"}"#.utf8),
        Array("\u{1B}[2J".utf8), [0x80, 0xFF], Array("\u{2028}{\"event\":\"forged\"}".utf8),
        Array(repeating: UInt8(ascii: "A"), count: 8000), Array("eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.c2VjcmV0".utf8),
    ]

    /// A handshake with the text in every place that a client fills. Some are malformed; then an error is as good.
    private func knock(_ server: LiveServer, _ text: [UInt8]) throws {
        let token = server.token()
        for place in ["User-Agent", "Origin", "Referer", "Cookie", "X-Forwarded-For", "Sec-WebSocket-Protocol", "Host"]
        {
            let client = try server.connect()
            var head = Array("GET /rider/socket HTTP/1.1\r\n".utf8)
            if place != "Host" { head += Array("Host: x\r\n".utf8) }
            head += Array("Authorization: Bearer \(token)\r\n\(place): ".utf8) + text + Array("\r\n".utf8)
            head += Array("Connection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\n".utf8)
            try client.send(head + Array("Sec-WebSocket-Key: \(RawClient.nonce)\r\n\r\n".utf8))
            #expect([101, 400, 401, 403].contains(try client.receiveUpgradeResponse().status))
        }
        for path in ["/", "/orders/", "/rider/socket?token=", "/orders/1/events?last_event_id="] {
            let client = try server.connect()
            try client.send(Array("GET \(path)".utf8) + text + Array(" HTTP/1.1\r\nHost: x\r\n\r\n".utf8))
            #expect((400..<500).contains(try client.receiveResponse().status))
        }
    }

    /// The text inside what an open connection may say.
    private func speak(_ server: LiveServer, _ text: [UInt8]) throws {
        let quoted = ByteBuffer()
        text.withUnsafeBytes { JSONWriter.append(string: $0, to: quoted) }
        let word = String(decoding: quoted.array, as: UTF8.self)
        let client = try server.rider()
        for message in [
            #"{"type":"subscribe","topic":\#(word),"ref":\#(word)}"#, #"{"type":"unsubscribe","topic":\#(word)}"#,
            #"{"type":"auth","token":\#(word)}"#, #"{"type":\#(word),"ref":\#(word)}"#,
            #"{"type":"accept","level":\#(word),"ref":{"event":\#(word)}}"#, word,
        ] {
            try client.sendText(message)
            // One answer each, whatever it says: the connection goes on.
            #expect(try JSONReader.read(Array(client.receiveText().utf8))["type"]?.stringValue != nil)
        }
        let reason = Array(String(decoding: text.prefix(100), as: UTF8.self).utf8.prefix(100))
        try client.send(
            RawFrame(
                opcode: RawFrame.close,
                payload: [0x0F, 0xA0] + (String(validating: reason, as: UTF8.self) == nil ? [] : reason)))
        _ = try client.receiveToEnd()
    }

    @Test("no header, path, topic, token, reference or close reason forges a line", arguments: hostile)
    func everywhere(text: [UInt8]) throws {
        let server = try LiveServer([#"log.repeat="0s""#, "limits.messages={rate:0,burst:0}", "limits.perUser=0"])
        try knock(server, text)
        try speak(server, text)
        #expect(server.stop() == 0)
        let lines = server.logText().split(separator: "\n")
        #expect(lines.count > 10)
        for line in lines {
            let object = try #require(try JSONReader.read(Array(line.utf8)).objectValue)
            let names = object.members.map(\.name)
            #expect(names.starts(with: ["at", "level", "event"]))
            #expect(LogEvent(rawValue: object["event"]?.stringValue ?? "") != nil)
            #expect(object["level"]?.stringValue != "error")
            #expect(!line.utf8.contains { $0 < 0x20 || $0 == 0x7F })
            #expect(line.utf8.count < 2000)
            #expect(!line.contains("c2VjcmV0"))
        }
    }

    @Test("claims named as the fixed members, and claims named twice, change nothing")
    func claims() throws {
        let server = try LiveServer()
        let header = #"{"alg":"HS256","kid":"test-key"}"#
        let good =
            #"{"sub":"5521","role":"rider","exp":\#(server.now + 60),"level":"error","event":"forged","at":"never"}"#
        let double = #"{"sub":"5521","role":"rider","exp":\#(server.now + 60),"sub":"1"}"#
        for (claims, status) in [(good, 101), (double, 401)] {
            let token = server.tokens.sign(header: header, payload: claims)
            let headers = [("Authorization", "Bearer \(token)")]
            #expect(try server.connect().upgrade("/rider/socket", headers: headers).status == status)
        }
        #expect(server.stop() == 0)
        #expect(!server.logText().contains("forged"))
        #expect(!server.logText().contains("never"))
    }

    @Test("a bare CR or LF in a header is refused with 400", arguments: ["a\rb", "a\nb: c", "a\u{0}b"])
    func lineBreaks(value: String) throws {
        let server = try LiveServer()
        let client = try server.connect()
        try client.send("GET /rider/socket HTTP/1.1\r\nHost: x\r\nUser-Agent: \(value)\r\n\r\n")
        #expect(try client.receiveResponse().status == 400)
    }
}
