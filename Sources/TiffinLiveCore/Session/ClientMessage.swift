/// A text message of an app, read (contract section 8, "App → server"). Who sent it is the connection's affair: a message
/// cannot say.
enum ClientMessage {
    case auth(token: String)
    case subscribe(topic: String, after: String?, ref: JSONValue?)
    case unsubscribe(topic: String, ref: JSONValue?)
    case ping(ref: JSONValue?)
    case application(type: String, ref: JSONValue?, body: JSONObject)

    /// What is wrong with a text that is no message.
    struct Fault: Error {
        /// The message's own reference, when that much could be read.
        let ref: JSONValue?
    }

    /// Longest `type`, `ref` or `after` that is taken, in bytes.
    static let wordLimit = 128

    static func read(_ text: UnsafeRawBufferPointer) throws(Fault) -> ClientMessage {
        guard case .object(let object)? = try? JSONReader.read(text) else { throw Fault(ref: nil) }
        let ref = object["ref"].flatMap(reference)
        guard let type = object["type"]?.stringValue, !type.isEmpty, type.utf8.count <= wordLimit,
            object["ref"] == nil || ref != nil
        else { throw Fault(ref: ref) }
        switch type {
        case "auth":
            guard let token = object["token"]?.stringValue else { throw Fault(ref: ref) }
            return .auth(token: token)
        case "subscribe":
            guard let topic = object["topic"]?.stringValue else { throw Fault(ref: ref) }
            return .subscribe(topic: topic, after: try position(object["after"], ref: ref), ref: ref)
        case "unsubscribe":
            guard let topic = object["topic"]?.stringValue else { throw Fault(ref: ref) }
            return .unsubscribe(topic: topic, ref: ref)
        case "ping":
            return .ping(ref: ref)
        default:
            return .application(type: type, ref: ref, body: object)
        }
    }

    /// A reference is a short string or a number, and comes back as it was.
    private static func reference(_ value: JSONValue) -> JSONValue? {
        switch value {
        case .string(let text): text.utf8.count <= wordLimit ? value : nil
        case .number(let number): number.text.utf8.count <= wordLimit ? value : nil
        default: nil
        }
    }

    private static func position(_ value: JSONValue?, ref: JSONValue?) throws(Fault) -> String? {
        switch value {
        case nil, .null?: return nil
        // Nothing of that length is a position; what is none is answered with a reset.
        case .string(let text)?: return text.utf8.count <= wordLimit ? text : ""
        default: throw Fault(ref: ref)
        }
    }
}
