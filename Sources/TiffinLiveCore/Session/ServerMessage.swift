/// A message of this server to an app (contract section 8, "Server → app"): one JSON object, a text frame on a WebSocket.
enum ServerMessage {
    case welcome(connection: UInt64, user: String, expiresIn: Int, heartbeat: Int)
    case expiring(expiresIn: Int)
    case authAccepted(expiresIn: Int, lost: [String])
    case authRefused(error: String)
    case subscribed(topic: String, position: EventID?, ref: JSONValue?)
    case unsubscribed(topic: String, reason: String?, ref: JSONValue?)
    case acknowledged(ref: JSONValue?)
    case pong(ref: JSONValue?)
    case failed(error: String, topic: String?, ref: JSONValue?)
    case reset(topic: String)
    case event(Event)

    func appendJSON(to buffer: ByteBuffer) {
        switch self {
        case .welcome(let connection, let user, let expiresIn, let heartbeat):
            buffer.append(#"{"type":"welcome","connection":""#)
            buffer.append(Self.name(ofConnection: connection))
            buffer.append(#"","user":"#)
            JSONWriter.append(string: user, to: buffer)
            buffer.append(#","expires_in":"#)
            buffer.append(decimal: expiresIn)
            buffer.append(#","heartbeat":"#)
            buffer.append(decimal: heartbeat)
        case .expiring(let expiresIn):
            buffer.append(#"{"type":"expiring","expires_in":"#)
            buffer.append(decimal: expiresIn)
        case .authAccepted(let expiresIn, let lost):
            buffer.append(#"{"type":"auth","ok":true,"expires_in":"#)
            buffer.append(decimal: expiresIn)
            if !lost.isEmpty {
                buffer.append(#","lost":"#)
                JSONWriter.append(.array(lost.map { .string($0) }), to: buffer)
            }
        case .authRefused(let error):
            buffer.append(#"{"type":"auth","ok":false"#)
            Self.append("error", error, to: buffer)
        case .subscribed(let topic, let position, let ref):
            buffer.append(#"{"type":"subscribed""#)
            Self.append("topic", topic, to: buffer)
            if let position { Self.append("id", position.description, to: buffer) }
            Self.append(ref: ref, to: buffer)
        case .unsubscribed(let topic, let reason, let ref):
            buffer.append(#"{"type":"unsubscribed""#)
            Self.append("topic", topic, to: buffer)
            if let reason { Self.append("reason", reason, to: buffer) }
            Self.append(ref: ref, to: buffer)
        case .acknowledged(let ref):
            buffer.append(#"{"type":"ack""#)
            Self.append(ref: ref, to: buffer)
        case .pong(let ref):
            buffer.append(#"{"type":"pong""#)
            Self.append(ref: ref, to: buffer)
        case .failed(let error, let topic, let ref):
            buffer.append(#"{"type":"error""#)
            Self.append("error", error, to: buffer)
            if let topic { Self.append("topic", topic, to: buffer) }
            Self.append(ref: ref, to: buffer)
        case .reset(let topic):
            Self.append(.reset(topic: topic, position: nil), to: buffer)
        case .event(let event):
            Self.append(event, to: buffer)
        }
        buffer.append(ASCII.rightBrace)
    }

    /// The text by which logs and messages name a connection: 16 hexadecimal digits.
    static func name(ofConnection id: UInt64) -> String {
        let digits = String(id, radix: 16)
        return String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    private static func append(_ event: Event, to buffer: ByteBuffer) {
        guard !event.isReset else {
            buffer.append(#"{"type":"reset""#)
            append("topic", event.topic, to: buffer)
            return buffer.append(#","reason":"history""#)
        }
        buffer.append(#"{"type":"event","topic":"#)
        JSONWriter.append(string: event.topic, to: buffer)
        if let id = event.id {
            buffer.append(#","id":""#)
            id.append(to: buffer)
            buffer.append(ASCII.quotationMark)
        }
        buffer.append(#","event":"#)
        JSONWriter.append(string: event.name, to: buffer)
        buffer.append(#","data":"#)
        if event.isJSON {
            buffer.append(event.data)
        } else {
            event.data.withUnsafeBytes { JSONWriter.append(string: $0, to: buffer) }
        }
    }

    private static func append(_ name: StaticString, _ text: String, to buffer: ByteBuffer) {
        buffer.append(#",""#)
        buffer.append(name)
        buffer.append(#"":"#)
        JSONWriter.append(string: text, to: buffer)
    }

    private static func append(ref: JSONValue?, to buffer: ByteBuffer) {
        guard let ref else { return }
        buffer.append(#","ref":"#)
        JSONWriter.append(ref, to: buffer)
    }
}
