import Testing

@testable import TiffinLiveCore

@Suite("JSON objects and values")
struct JSONObjectTests {
    @Test("keep the order of their members")
    func order() {
        let object = JSONObject(("type", "event"), ("id", .integer(7)), ("data", .null))
        #expect(object.members.map(\.name) == ["type", "id", "data"])
        #expect(JSONText.written(.object(object)) == Array(#"{"type":"event","id":7,"data":null}"#.utf8))
    }

    @Test("are changed by name: replaced in place, appended, removed")
    func changed() {
        var object: JSONObject = ["a": 1, "b": 2]
        object["a"] = "x"
        object["c"] = .null
        object["b"] = nil
        object["missing"] = nil
        #expect(object == ["a": "x", "c": .null])
        object.remove("a")
        object.remove("missing")
        #expect(object == ["c": .null])
        #expect(object["c"]?.isNull == true)
        #expect(object["a"] == nil)
        object.remove("c")
        #expect(object.isEmpty)
    }

    @Test("never hold a name twice when they are built by name")
    func unique() {
        #expect(JSONObject(("a", 1), ("b", 2), ("a", 3)) == ["a": 3, "b": 2])
        let literal: JSONValue = ["a": 1, "a": 2]
        #expect(literal == .object(["a": 2]))
    }

    @Test("look names up by code units, not by canonical equivalence")
    func names() {
        var object: JSONObject = ["\u{E9}": 1]
        #expect(object["e\u{301}"] == nil)
        object["e\u{301}"] = 2
        #expect(object.members.count == 2)
        object.remove("e\u{301}")
        #expect(object == ["\u{E9}": 1])
        #expect(object != ["e\u{301}": 1])
    }

    @Test("are equal in the same order only, with numbers written alike")
    func equality() {
        #expect(JSONObject(("a", 1), ("b", 2)) != JSONObject(("b", 2), ("a", 1)))
        #expect(JSONValue.number(JSONNumber(text: "1.0")) != 1)
        #expect(JSONValue.null != false)
        #expect(["a": [1, ["b": 2]]] as JSONValue == ["a": [1, ["b": 2]]])
        #expect(["a": [1, ["b": 2]]] as JSONValue != ["a": [1, ["b": 3]]])
        #expect(["a": [1, ["b": 2]]] as JSONValue != ["a": [1, ["c": 2]]])
        #expect([1, 2] as JSONValue != [1])
        #expect(["a": 1] as JSONValue != ["a": 1, "b": 2])
        #expect([[1], 2] as JSONValue != [[2], 2])
        #expect(JSONValue.string("1") != 1)
        #expect(JSONValue.array([]) != .object([:]))
    }

    @Test("tell their kind")
    func kinds() {
        let values: [JSONValue] = [.null, true, 5, "s", [1], ["k": 2]]
        #expect(values.map(\.isNull) == [true, false, false, false, false, false])
        #expect(values.map(\.boolValue) == [nil, true, nil, nil, nil, nil])
        #expect(values.map(\.numberValue?.int64) == [nil, nil, 5, nil, nil, nil])
        #expect(values.map(\.stringValue) == [nil, nil, nil, "s", nil, nil])
        #expect(values.map(\.arrayValue) == [nil, nil, nil, nil, [1], nil])
        #expect(values.map(\.objectValue) == [nil, nil, nil, nil, nil, ["k": 2]])
        #expect(values.map { $0["k"] } == [nil, nil, nil, nil, nil, 2])
    }

    @Test("are written down as literals")
    func literals() {
        let reference = "7"
        let answer: JSONValue = [
            "type": "ack", "ref": .string(reference), "topics": .strings(["a", "b"]), "at": .integer(9),
        ]
        #expect(JSONText.written(answer) == Array(#"{"type":"ack","ref":"7","topics":["a","b"],"at":9}"#.utf8))
        let text: JSONValue = "ref \(reference)"
        #expect(text.stringValue == "ref 7")
    }
}
