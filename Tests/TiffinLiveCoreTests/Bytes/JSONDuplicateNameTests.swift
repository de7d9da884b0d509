import Testing

@testable import TiffinLiveCore

@Suite("JSON reader: names given twice in an object")
struct JSONDuplicateNameTests {
    @Test(
        "are refused where the second one stands, however it is spelled",
        arguments: [
            (#"{"a":1,"a":1}"#, 8), (#"{"":1,"":2}"#, 7), (#"{"a":1,"b":2,"a":3}"#, 14), (#"{"a":1,"\u0061":2}"#, 8),
            (#"{"\u0061":1,"a":2}"#, 13), (#"{"\u0061":1,"\u0061":2}"#, 13), (#"{"é":1,"\u00e9":2}"#, 9),
            (#"{"\/":1,"/":2}"#, 9),
            (#"{"\ud83d\ude00":1,"😀":2}"#, 19), (#"{"a\u0000":1,"a\u0000":2}"#, 14), (#"[{"x":{"a":1,"a":2}}]"#, 14),
            (#"{"a":{},"a":{}}"#, 9), (#"{"a":{"a":1},"b":1,"a":2}"#, 20), (#"{"sub":"1","\u0073ub":"2"}"#, 12),
            (#"{"abcdefghijklm":1,"abcdefgh\u0069jklm":2}"#, 20),
        ])
    func refused(text: String, offset: Int) {
        #expect(JSONText.error(text) == JSONError(offset: offset, problem: .duplicateName))
        #expect(!JSONText.isValid(text))
    }

    @Test(
        "are no fault when they only look alike or belong to different objects",
        arguments: [
            #"{"a":1,"A":2}"#, #"{"a":{"a":{"a":1}}}"#, #"[{"a":1},{"a":2}]"#, #"{"a":{"b":1},"b":2}"#,
            #"{"b":2,"a":{"b":1}}"#,
            #"{"a":1,"a ":2,"a\u0000":3}"#, #"{"é":1,"e\u0301":2}"#, #"{"\\u0061":1,"a":2}"#, #"{"a":"a","b":"a"}"#,
            #"{"\u0061":{"\u0061":1,"b":2},"b":{"\u0061":1}}"#, #"{"abcdefgh1":1,"abcdefgh2":2}"#,
            #"{"1abcdefgh":1,"2abcdefgh":2}"#,
        ])
    func allowed(text: String) {
        #expect(JSONText.error(text) == nil)
        #expect(JSONText.isValid(text))
    }

    @Test("are found in objects of every size and at every place", arguments: 2..<24)
    func sizes(count: Int) {
        func text(_ names: [String]) -> String { "{" + names.map { "\"\($0)\":0" }.joined(separator: ",") + "}" }
        let names = (0..<count).map { "name\($0)" }
        #expect(JSONText.isValid(text(names)))
        for first in 0..<count {
            for second in first + 1..<count {
                for spelling in [names[first], "\\u006e" + names[first].dropFirst()] {
                    var doubled = names
                    doubled[second] = spelling
                    #expect(!JSONText.isValid(text(doubled)))
                }
            }
        }
        var doubled = names
        doubled[count - 1] = "name0"
        #expect(JSONText.error(text(doubled))?.problem == .duplicateName)
        #expect(JSONText.error(text(doubled))?.offset == text(names.dropLast()).utf8.count + 1)
    }

    @Test("cost no quadratic time in a huge object", arguments: [false, true])
    func huge(escaped: Bool) {
        // Names of one length, alike up to their last bytes: the dearest to tell apart.
        let prefix = escaped ? "\\u006eame-of-a-member-" : "name-of-a-member-"
        let names = (100_000..<200_000).map { "\"\(prefix)\($0)\":0" }
        let text = "{" + names.joined(separator: ",")
        #expect(JSONText.isValid(text + "}"))
        #expect(!JSONText.isValid(text + ",\"name-of-a-member-123456\":0}"))
        #expect(JSONText.error(text + "}") == nil)
    }

    @Test("cost no quadratic time in many open objects")
    func nested() {
        var text = ""
        for depth in 0..<500 { text += "{" + (0..<50).map { "\"\($0)\":0," }.joined() + "\"next\(depth)\":" }
        text += "0" + String(repeating: "}", count: 500)
        #expect(JSONText.isValid(text, maximumDepth: 500))
    }
}
