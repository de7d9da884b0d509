/// Puts values together to arrays and objects while `JSONParser` finds them. Finished values wait on one stack until
/// the array or object that they belong to closes and takes them off.
struct JSONTreeBuilder {
    private var values: [JSONValue] = []
    private var names: [String] = []

    /// How many values wait; the parser remembers it where an array or object opens.
    var mark: Int { values.count }

    mutating func add(_ value: JSONValue) {
        values.append(value)
    }

    mutating func add(name: String) {
        names.append(name)
    }

    mutating func closeArray(from mark: Int) {
        let elements = Array(values[mark...])
        values.removeSubrange(mark...)
        values.append(.array(elements))
    }

    /// Each value since `mark` has its name.
    mutating func closeObject(from mark: Int) {
        let count = values.count - mark
        let members = zip(names.suffix(count), values[mark...]).map { JSONObject.Member(name: $0, value: $1) }
        names.removeLast(count)
        values.removeSubrange(mark...)
        values.append(.object(JSONObject(members: members)))
    }

    mutating func takeRoot() -> JSONValue {
        values.popLast() ?? .null
    }
}
