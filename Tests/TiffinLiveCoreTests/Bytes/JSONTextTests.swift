import Testing

@testable import TiffinLiveCore

@Suite("RFC 8259: texts that readers are known to disagree on")
struct JSONTextTests {
    /// Both ways of reading must say the same, and so must a reader written from the grammar.
    private static func isRead(_ text: [UInt8]) -> Bool {
        let isRead = (try? JSONReader.read(text)) != nil
        #expect(text.withUnsafeBytes { JSONReader.isValid($0) } == isRead)
        #expect(NaiveJSON.isValid(text) == isRead)
        return isRead
    }

    @Test(
        "section 2: the four kinds of white space around every token",
        arguments: [
            " [ ] ", "\t{\t}\t", "\n1\n", "\r\"a\"\r", "[ 1 , 2 ]", "{ \"a\" : 1 , \"b\" : 2 }", "[\n\t1\r\n]",
            "  null  ",
            "{\r\"a\"\r:\rtrue\r}", "[[ ] , [ ]]", "{ \"\" : { } }", "\n\n\n0\n\n\n",
        ])
    func whiteSpace(_ text: String) {
        #expect(Self.isRead(Array(text.utf8)))
    }

    @Test("of all bytes exactly the four may stand around a value")
    func everySpace() {
        for byte in UInt8.min...UInt8.max {
            let isSpace = byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D
            #expect(Self.isRead([byte] + Array("true".utf8)) == isSpace)
            #expect(Self.isRead(Array("[true".utf8) + [byte] + Array("]".utf8)) == isSpace)
            // A comma makes two values, which two equal ones in a list are allowed to be.
            let isBetween = byte == ASCII.comma
            #expect(Self.isRead(Array("[true".utf8) + [byte] + Array("true]".utf8)) == isBetween)
        }
    }

    @Test("of all bytes exactly eight may follow a backslash alone, and the u needs its digits")
    func everyEscape() {
        for byte in UInt8.min..<0x80 {
            let isEscape = Array("\"\\/bfnrt".utf8).contains(byte)
            #expect(Self.isRead(Array("\"\\".utf8) + [byte] + Array("\"".utf8)) == isEscape)
            #expect(Self.isRead(Array("\"\\u004".utf8) + [byte] + Array("\"".utf8)) == (ASCII.hexValue(byte) != nil))
        }
    }

    @Test("of all bytes exactly those from 0x20 on may stand in a string, where they are UTF-8")
    func everyStringByte() {
        for byte in UInt8.min...UInt8.max {
            let isPlain = byte >= 0x20 && byte < 0x80 && byte != 0x22 && byte != 0x5C
            #expect(Self.isRead([0x22, byte, 0x22]) == isPlain)
            #expect(Self.isRead([0x22] + [UInt8](repeating: 0x61, count: 11) + [byte, 0x22]) == isPlain)
        }
    }

    @Test(
        "section 3: a text is one value of any kind",
        arguments: [
            ("0", true), ("\"\"", true), ("true", true), ("null", true), ("[]", true), ("{}", true), ("", false),
            (" ", false), ("1 1", false), ("[] []", false), ("{} 1", false), ("true false", false), ("null,", false),
            ("TRUE", false), ("Null", false), ("tRue", false), ("falsé", false), ("nan", false), ("undefined", false),
            ("tru", false), ("truee", false), ("nulll", false), ("fals", false), ("t", false), ("n", false),
            ("f", false),
        ])
    func texts(_ text: String, _ isRead: Bool) {
        #expect(Self.isRead(Array(text.utf8)) == isRead)
    }

    @Test(
        "sections 4 and 5: commas and colons stand where they stand",
        arguments: [
            ("[1,2]", true), ("[1,]", false), ("[,1]", false), ("[1,,2]", false), ("[1 2]", false), ("[", false),
            ("]", false), ("[1", false), ("[1,", false), ("[}", false), ("[1}", false), ("[1:2]", false),
            ("[1;2]", false),
            (#"{"a":1}"#, true), (#"{"a":1,}"#, false), (#"{,"a":1}"#, false), (#"{"a":1,,"b":2}"#, false),
            (#"{"a":1 "b":2}"#, false), (#"{"a" 1}"#, false), (#"{"a":}"#, false), (#"{"a"}"#, false),
            (#"{:1}"#, false),
            (#"{"a"::1}"#, false), (#"{"a":1:2}"#, false), (#"{"a":1]"#, false), (#"{1:1}"#, false), (#"{a:1}"#, false),
            (#"{null:1}"#, false), (#"{[]:1}"#, false), (#"{'a':1}"#, false), (#"{"a","b":1}"#, false),
            (#"{"a":1"#, false),
        ])
    func structure(_ text: String, _ isRead: Bool) {
        #expect(Self.isRead(Array(text.utf8)) == isRead)
    }

    @Test("one byte of a good text changed, doubled or left out: both readers agree")
    func changedBytes() {
        let text = Array(#"{"a":[-1.5e+3,true,"\u00e9\n"],"b":{"c":null}}"#.utf8)
        let others = Array("{}[]:,\"\\0129.eE+-tfnu \u{0}\u{7F}".utf8) + [0x80, 0xC3]
        var read = 0
        for place in text.indices {
            for other in others {
                var changed = text
                changed[place] = other
                if Self.isRead(changed) { read += 1 }
                changed = text
                changed.insert(other, at: place)
                if Self.isRead(changed) { read += 1 }
            }
            var shorter = text
            shorter.remove(at: place)
            if Self.isRead(shorter) { read += 1 }
        }
        // Some changes leave JSON (another digit, a space), most do not.
        #expect((200..<1200).contains(read))
    }
}

@Suite("JSON values: what is equal, what is written, what is found")
struct JSONValueFormTests {
    @Test("the text of a value is what the buffer gets")
    func text() {
        let values: [JSONValue] = [.null, true, 1, "a\n\u{2028}", [1, [], [:]], ["a": ["b": .null]]]
        for value in values { #expect(Array(JSONWriter.text(value).utf8) == JSONText.written(value)) }
        #expect(JSONWriter.text(["a": [1, "x"]]) == #"{"a":[1,"x"]}"#)
    }

    @Test("no two of these are equal, and each is equal to itself")
    func distinct() {
        let values: [JSONValue] = [
            .null, true, false, 0, 1, "", "0", "a", "A", [], [[]], [.null], [0], [0, 0], [:], ["a": 0], ["b": 0],
            ["a": 1], ["a": 0, "b": 0], ["b": 0, "a": 0], ["": 0], .number(JSONNumber(text: "0.0")),
            .number(JSONNumber(text: "-0")), "e\u{301}", "\u{E9}", ["\u{E9}": 0], ["e\u{301}": 0],
        ]
        for (index, left) in values.enumerated() {
            for (other, right) in values.enumerated() { #expect((left == right) == (index == other)) }
        }
    }

    @Test("objects are equal when their members are, member by member")
    func members() {
        typealias Member = JSONObject.Member
        #expect(Member(name: "a", value: 1) == Member(name: "a", value: 1))
        #expect(Member(name: "a", value: 1) != Member(name: "b", value: 1))
        #expect(Member(name: "a", value: 1) != Member(name: "a", value: 2))
        #expect(Member(name: "\u{E9}", value: 1) != Member(name: "e\u{301}", value: 1))
        let object = JSONObject(members: [Member(name: "a", value: 1)])
        #expect(object == ["a": 1])
        #expect(object != ["a": 1, "b": 2])
        #expect(JSONObject().isEmpty && !object.isEmpty)
    }

    @Test("removing and setting nil take a member away, and leave the order of the others")
    func removing() {
        var object: JSONObject = ["a": 1, "b": 2, "c": 3]
        object.remove("b")
        #expect(object.members.map(\.name) == ["a", "c"])
        object["a"] = nil
        #expect(object.members.map(\.name) == ["c"])
        object["a"] = 4
        #expect(object.members.map(\.name) == ["c", "a"])
        object["c"] = 5
        #expect(object.members.map(\.name) == ["c", "a"])
        #expect(object["c"] == 5)
    }

    @Test("deep values are compared without recursion")
    func deep() {
        func nested(_ levels: Int, _ last: JSONValue) -> JSONValue {
            var value = last
            for _ in 0..<levels { value = [value] }
            return value
        }
        #expect(nested(400, 1) == nested(400, 1))
        #expect(nested(400, 1) != nested(400, 2))
        #expect(nested(400, 1) != nested(401, 1))
    }

    @Test(
        "every problem has a text of its own that tells nothing of the input",
        arguments: [
            JSONError.Problem.invalidUTF8, .byteOrderMark, .unexpectedEnd, .expectedValue, .expectedName,
            .expectedColon,
            .expectedCommaOrBracket, .expectedCommaOrBrace, .trailingBytes, .invalidNumber, .controlCharacter,
            .invalidEscape, .loneSurrogate, .duplicateName, .tooDeep,
        ])
    func problems(_ problem: JSONError.Problem) {
        let error = JSONError(offset: 7, problem: problem)
        #expect(error.message == problem.rawValue)
        #expect(error.description == "\(problem.rawValue) at byte 7")
        #expect(error != JSONError(offset: 8, problem: problem))
        #expect(JSONError.Problem(rawValue: problem.rawValue) == problem)
    }
}
