/// A JSON text as a tree (RFC 8259 section 3), for the small texts that are looked into: tokens, control messages,
/// administration. Published event data never become a tree.
///
/// Strings are equal when their code units are; numbers when they are written alike.
enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    static func integer(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(value)) }

    static func strings(_ values: some Sequence<String>) -> JSONValue { .array(values.map { .string($0) }) }

    var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    var numberValue: JSONNumber? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    var arrayValue: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    var objectValue: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The member of an object; nil when there is none or this is no object.
    subscript(name: String) -> JSONValue? { objectValue?[name] }
}

extension JSONValue: Equatable {
    static func == (left: JSONValue, right: JSONValue) -> Bool {
        switch (left, right) {
        case (.null, .null): true
        case (.bool(let left), .bool(let right)): left == right
        case (.number(let left), .number(let right)): left == right
        case (.string(let left), .string(let right)): JSONObject.isSame(left, right)
        case (.array(let left), .array(let right)): left == right
        case (.object(let left), .object(let right)): left == right
        default: false
        }
    }
}
