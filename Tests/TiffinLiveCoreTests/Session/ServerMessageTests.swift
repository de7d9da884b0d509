import Testing

@testable import TiffinLiveCore

@Suite("Contract 8: what the server says")
struct ServerMessageTests {
    private static func text(_ message: ServerMessage) -> String {
        let buffer = ByteBuffer()
        message.appendJSON(to: buffer)
        return String(decoding: buffer.array, as: UTF8.self)
    }

    private static func event(
        _ data: String, isJSON: Bool, id: EventID? = EventID(milliseconds: 1_764_500_000_000, sequence: 0),
        name: String = "offer", topic: String = "riders:5521"
    ) -> Event {
        Event(topic: topic, id: id, name: name, data: Array(data.utf8), isJSON: isJSON)
    }

    @Test("welcome, expiring and auth")
    func session() {
        #expect(
            Self.text(.welcome(connection: 0xAB, user: "5521", expiresIn: 900, heartbeat: 25))
                == #"{"type":"welcome","connection":"00000000000000ab","user":"5521","expires_in":900,"heartbeat":25}"#)
        #expect(Self.text(.expiring(expiresIn: 120)) == #"{"type":"expiring","expires_in":120}"#)
        #expect(Self.text(.authAccepted(expiresIn: 898, lost: [])) == #"{"type":"auth","ok":true,"expires_in":898}"#)
        #expect(
            Self.text(.authAccepted(expiresIn: 1, lost: ["a:1", "b\"2"]))
                == #"{"type":"auth","ok":true,"expires_in":1,"lost":["a:1","b\"2"]}"#)
        #expect(
            Self.text(.authRefused(error: "token_expired")) == #"{"type":"auth","ok":false,"error":"token_expired"}"#)
    }

    @Test(
        "answers carry the reference as it came, or none",
        arguments: [
            (nil, ""), (.string("7"), #","ref":"7""#), (.string("é\"\n"), #","ref":"é\"\n""#),
            (.number(JSONNumber(text: "1.50")), #","ref":1.50"#),
            (.number(JSONNumber(text: "123456789012345678901234567890")), #","ref":123456789012345678901234567890"#),
        ] as [(JSONValue?, String)])
    func references(ref: JSONValue?, member: String) {
        #expect(Self.text(.acknowledged(ref: ref)) == #"{"type":"ack"\#(member)}"#)
        #expect(Self.text(.pong(ref: ref)) == #"{"type":"pong"\#(member)}"#)
        #expect(
            Self.text(.failed(error: "unavailable", topic: nil, ref: ref))
                == #"{"type":"error","error":"unavailable"\#(member)}"#)
        #expect(
            Self.text(.failed(error: "forbidden", topic: "a:1", ref: ref))
                == #"{"type":"error","error":"forbidden","topic":"a:1"\#(member)}"#)
        #expect(
            Self.text(.subscribed(topic: "a:1", position: nil, ref: ref))
                == #"{"type":"subscribed","topic":"a:1"\#(member)}"#)
        #expect(
            Self.text(.unsubscribed(topic: "a:1", reason: nil, ref: ref))
                == #"{"type":"unsubscribed","topic":"a:1"\#(member)}"#)
        #expect(
            Self.text(.unsubscribed(topic: "a:1", reason: "forbidden", ref: ref))
                == #"{"type":"unsubscribed","topic":"a:1","reason":"forbidden"\#(member)}"#)
    }

    @Test("subscribed names the position")
    func position() {
        #expect(
            Self.text(.subscribed(topic: "a:1", position: EventID(milliseconds: 5, sequence: 6), ref: nil))
                == #"{"type":"subscribed","topic":"a:1","id":"5-6"}"#)
    }

    @Test("reset says why")
    func reset() {
        #expect(Self.text(.reset(topic: "orders:1")) == #"{"type":"reset","topic":"orders:1","reason":"history"}"#)
    }

    @Test(
        "an event carries its data as JSON when it is JSON, else as a string",
        arguments: [
            (#"{"a":[1,2.50]}"#, true, #"{"a":[1,2.50]}"#), ("5", true, "5"), (#""x""#, true, #""x""#),
            ("null", true, "null"),
            ("5", false, #""5""#), ("plain \"text\"\nover lines", false, #""plain \"text\"\nover lines""#),
            ("", false, #""""#),
            ("\u{0}\u{1b}[2J\u{2028}", false, #""\u0000\u001b[2J\u2028""#),
        ])
    func events(data: String, isJSON: Bool, member: String) throws {
        let text = Self.text(.event(Self.event(data, isJSON: isJSON)))
        #expect(
            text
                == #"{"type":"event","topic":"riders:5521","id":"1764500000000-0","event":"offer","data":\#(member)}"#)
        _ = try JSONReader.read(Array(text.utf8))
    }

    @Test("an event without an id has no id member")
    func noID() {
        #expect(
            Self.text(.event(Self.event("1", isJSON: true, id: nil, name: "message")))
                == #"{"type":"event","topic":"riders:5521","event":"message","data":1}"#)
    }

    @Test(
        "names and topics from outside are escaped, whatever is in them",
        arguments: [
            "\"", "\\", "\n", "\u{0}", "\u{7f}", "\u{2028}", "</script>", "\u{1F600}", #"","x":""#,
        ])
    func escaped(text: String) throws {
        let buffer = ByteBuffer()
        for message in [
            ServerMessage.event(Self.event("1", isJSON: true, name: text, topic: text)), .reset(topic: text),
            .failed(error: "x", topic: text, ref: .string(text)), .authAccepted(expiresIn: 1, lost: [text]),
            .welcome(connection: 1, user: text, expiresIn: 1, heartbeat: 1),
            .subscribed(topic: text, position: nil, ref: .string(text)),
        ] {
            buffer.removeAll()
            message.appendJSON(to: buffer)
            let value = try JSONReader.read(buffer.array)
            let object = try #require(value.objectValue)
            #expect(!buffer.array.contains(10))
            if let topic = object["topic"] { #expect(topic == .string(text)) }
            if let user = object["user"] { #expect(user == .string(text)) }
            if let ref = object["ref"] { #expect(ref == .string(text)) }
        }
    }

    @Test("data that is no UTF-8 cannot break the message")
    func invalidUTF8() throws {
        let event = Event(topic: "a", id: nil, data: [0x61, 0x80, 0xFF, 0xED, 0xA0, 0x80], isJSON: false)
        let buffer = ByteBuffer()
        ServerMessage.event(event).appendJSON(to: buffer)
        let data = try JSONReader.read(buffer.array)["data"]?.stringValue
        #expect(data?.hasPrefix("a\u{FFFD}") == true)
    }

    @Test(
        "a connection's name has 16 digits",
        arguments: [(0, "0000000000000000"), (UInt64.max, "ffffffffffffffff"), (0x1F, "000000000000001f")]
            as [(UInt64, String)])
    func names(id: UInt64, name: String) {
        #expect(ServerMessage.name(ofConnection: id) == name)
    }
}
