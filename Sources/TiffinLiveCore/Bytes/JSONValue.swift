/// A JSON text as a tree (RFC 8259 section 3), for the small texts that are looked into: tokens, control messages,
/// administration. Published event data never become a tree.
///
/// Strings are equal when their code units are; numbers when they are written alike.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case number(JSONNumber)
    case string(String)
    case array([JSONValue])
    case object(JSONObject)

    package static func integer(_ value: some BinaryInteger) -> JSONValue { .number(JSONNumber(value)) }

    package static func strings(_ values: some Sequence<String>) -> JSONValue { .array(values.map { .string($0) }) }

    package var isNull: Bool {
        guard case .null = self else { return false }
        return true
    }

    package var boolValue: Bool? {
        guard case .bool(let value) = self else { return nil }
        return value
    }

    package var numberValue: JSONNumber? {
        guard case .number(let value) = self else { return nil }
        return value
    }

    package var stringValue: String? {
        guard case .string(let value) = self else { return nil }
        return value
    }

    package var arrayValue: [JSONValue]? {
        guard case .array(let value) = self else { return nil }
        return value
    }

    package var objectValue: JSONObject? {
        guard case .object(let value) = self else { return nil }
        return value
    }

    /// The member of an object; nil when there is none or this is no object.
    package subscript(name: String) -> JSONValue? { objectValue?[name] }
}

extension JSONValue: Equatable {
    /// Works a stack of its own off, so that the native one does not grow with the depth of the values.
    package static func == (left: JSONValue, right: JSONValue) -> Bool {
        var waiting: [(JSONValue, JSONValue)] = []
        var pair = (left, right)
        while true {
            guard isSameAtTop(pair.0, pair.1, waiting: &waiting) else { return false }
            guard let next = waiting.popLast() else { return true }
            pair = next
        }
    }

    /// Compares all but the elements and member values, which it adds to `waiting`.
    private static func isSameAtTop(
        _ left: JSONValue, _ right: JSONValue, waiting: inout [(JSONValue, JSONValue)]
    ) -> Bool {
        switch (left, right) {
        case (.null, .null): return true
        case (.bool(let left), .bool(let right)): return left == right
        case (.number(let left), .number(let right)): return left == right
        case (.string(let left), .string(let right)): return JSONObject.isSame(left, right)
        case (.array(let left), .array(let right)):
            guard left.count == right.count else { return false }
            waiting.append(contentsOf: zip(left, right))
            return true
        case (.object(let left), .object(let right)):
            guard left.members.count == right.members.count else { return false }
            for (left, right) in zip(left.members, right.members) {
                guard JSONObject.isSame(left.name, right.name) else { return false }
                waiting.append((left.value, right.value))
            }
            return true
        default: return false
        }
    }
}
