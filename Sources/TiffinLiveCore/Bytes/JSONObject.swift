/// The members of a JSON object in the order they were written (RFC 8259 section 4).
///
/// Names are unique when the object comes from `JSONReader` or is built through the subscript or the initialisers;
/// a name is compared as code units, not by canonical equivalence. Looking up is linear: made for the few members of
/// a token, a message or an answer. Equal objects have the same members in the same order.
package struct JSONObject: Equatable, Sendable {
    package struct Member: Equatable, Sendable {
        package let name: String
        package var value: JSONValue

        package init(name: String, value: JSONValue) {
            self.name = name
            self.value = value
        }

        package static func == (left: Member, right: Member) -> Bool {
            JSONObject.isSame(left.name, right.name) && left.value == right.value
        }
    }

    package var members: [Member]

    /// `members` have unique names.
    package init(members: [Member] = []) {
        self.members = members
    }

    /// Of a name given twice the last value stays.
    package init(_ pairs: (String, JSONValue)...) {
        members = []
        members.reserveCapacity(pairs.count)
        for (name, value) in pairs { self[name] = value }
    }

    package var isEmpty: Bool { members.isEmpty }

    package static func == (left: JSONObject, right: JSONObject) -> Bool {
        JSONValue.object(left) == JSONValue.object(right)
    }

    /// Setting replaces the value in its place or appends a member; setting nil removes it.
    package subscript(name: String) -> JSONValue? {
        get {
            for member in members where Self.isSame(member.name, name) { return member.value }
            return nil
        }
        set {
            guard let newValue else { return remove(name) }
            if let index = members.firstIndex(where: { Self.isSame($0.name, name) }) {
                members[index].value = newValue
            } else {
                members.append(Member(name: name, value: newValue))
            }
        }
    }

    package mutating func remove(_ name: String) {
        members.removeAll { Self.isSame($0.name, name) }
    }

    /// Code unit by code unit: Swift's `==` also takes "é" and "e" with an accent for the same, and then a member
    /// could be read here that another reader of the same text does not see under that name.
    static func isSame(_ left: String, _ right: String) -> Bool {
        left.utf8.count == right.utf8.count && left.utf8.elementsEqual(right.utf8)
    }
}

extension JSONObject: ExpressibleByDictionaryLiteral {
    package init(dictionaryLiteral elements: (String, JSONValue)...) {
        members = []
        members.reserveCapacity(elements.count)
        for (name, value) in elements { self[name] = value }
    }
}
