/// Answers are written down as literals: `["type": "ack", "ref": .string(ref)]`. Members keep their order. There is
/// no nil literal, so that `object["name"] = nil` can only mean to remove; JSON's null is `.null`.
extension JSONValue: ExpressibleByStringInterpolation {
    package init(stringLiteral value: String) { self = .string(value) }
}

extension JSONValue: ExpressibleByIntegerLiteral {
    package init(integerLiteral value: Int64) { self = .integer(value) }
}

extension JSONValue: ExpressibleByBooleanLiteral {
    package init(booleanLiteral value: Bool) { self = .bool(value) }
}

extension JSONValue: ExpressibleByArrayLiteral {
    package init(arrayLiteral elements: JSONValue...) { self = .array(elements) }
}

extension JSONValue: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        var object = JSONObject()
        object.members.reserveCapacity(elements.count)
        for (name, value) in elements { object[name] = value }
        self = .object(object)
    }
}
