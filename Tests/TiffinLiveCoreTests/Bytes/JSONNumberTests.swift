import Testing

@testable import TiffinLiveCore

@Suite("JSON numbers (RFC 8259 section 6)")
struct JSONNumberTests {
    @Test(
        "keep their text",
        arguments: [
            "0", "-0", "1", "-1", "10", "0.0", "0.10", "1e0", "1E0", "1e+1", "1e-1", "1E+01", "123.456e-78", "-0.0e-0",
            "1e00005",
            "9223372036854775808", "1e400", "-1e400", "1e-400", "1e99999999999999999999", "0.1e1",
            String(repeating: "9", count: 10_000), "0." + String(repeating: "0", count: 10_000) + "1",
            "1e" + String(repeating: "9", count: 10_000),
        ])
    func keepText(text: String) throws {
        for wrapped in [text, "[\(text)]", " \(text) ", "{\"a\":\(text)}"] {
            let value = try JSONReader.read(Array(wrapped.utf8))
            let number = value.numberValue ?? value.arrayValue?.first?.numberValue ?? value["a"]?.numberValue
            #expect(number?.text == text)
            #expect(JSONText.isValid(wrapped))
            #expect(number?.double.isNaN == false)
        }
    }

    @Test(
        "other spellings are refused",
        arguments: [
            "-", "--1", "-a", "-.5", "-Infinity", "01", "00", "-01", "0x10", "1.", "1.e5", "1.-5", "1e", "1e+", "1e-",
            "1e+-1", "1e1.5",
            "1ee1", "1.2.3", "1_000", "0b1", "1f", "1n", "- 1", "1 .5", "1. 5", "1e 5", "-\u{0}", "１",
        ])
    func refused(text: String) {
        #expect(JSONText.error(text) != nil)
        #expect(JSONText.error("[\(text)]") != nil)
        #expect(!JSONText.isValid(text))
        #expect(!JSONText.isValid("[\(text)]"))
    }

    @Test(
        "a missing digit is told where it is missing",
        arguments: [("-", 1), ("-x", 1), ("1.", 2), ("1.x", 2), ("1e", 2), ("1e+", 3), ("-1.5E-x", 6)])
    func missingDigit(text: String, offset: Int) {
        #expect(JSONText.error(text) == JSONError(offset: offset, problem: .invalidNumber))
    }

    @Test(
        "as an integer: plain ones in range only",
        arguments: [
            ("0", 0), ("-0", 0), ("42", 42), ("-42", -42), ("9223372036854775807", .max),
            ("-9223372036854775808", .min),
            ("9223372036854775808", nil), ("-9223372036854775809", nil), ("1.0", nil), ("1e3", nil), ("1E3", nil),
            ("0.5", nil),
            (String(repeating: "9", count: 10_000), nil), ("-" + String(repeating: "1", count: 20), nil),
        ] as [(String, Int64?)])
    func integers(text: String, value: Int64?) throws {
        #expect(try JSONReader.read(Array(text.utf8)).numberValue?.int64 == value)
    }

    @Test(
        "as a double: the nearest one, infinite beyond the range, zero below it",
        arguments: [
            ("0", 0), ("1.0", 1), ("1e3", 1000), ("0.1", 0.1), ("-2.5E-1", -0.25),
            ("9007199254740993", 9_007_199_254_740_992),
            ("1.7976931348623157e308", .greatestFiniteMagnitude), ("1.7976931348623159e308", .infinity),
            ("1e309", .infinity),
            ("-1e309", -.infinity), ("1e99999999999999999999", .infinity), ("-1e99999999999999999999", -.infinity),
            ("1e-99999999999999999999", 0), ("0e99999999999999999999", 0), ("4.9e-324", .leastNonzeroMagnitude),
            ("1e-325", 0),
            (String(repeating: "9", count: 10_000), .infinity),
            ("0." + String(repeating: "0", count: 10_000) + "1e10001", 1),
            ("1" + String(repeating: "0", count: 10_000) + "e-10000", 1),
        ] as [(String, Double)])
    func doubles(text: String, value: Double) throws {
        #expect(try JSONReader.read(Array(text.utf8)).numberValue?.double == value)
    }

    @Test("minus zero keeps its sign")
    func minusZero() {
        #expect(JSONNumber(text: "-0").double.sign == .minus)
        #expect(JSONNumber(text: "-0.0e5").double.sign == .minus)
    }

    @Test(
        "numbers made from values are JSON",
        arguments: [0, -0.0, 1, 0.1, 1e20, 1e-7, .leastNonzeroMagnitude, .greatestFiniteMagnitude, .pi])
    func made(value: Double) throws {
        let number = try #require(JSONNumber(value))
        #expect(try JSONReader.read(Array(number.text.utf8)).numberValue?.double == value)
    }

    @Test("infinities and NaN make no number; a text that is none counts as NaN")
    func notMade() {
        #expect(JSONNumber(Double.infinity) == nil)
        #expect(JSONNumber(-Double.infinity) == nil)
        #expect(JSONNumber(Double.nan) == nil)
        #expect(JSONNumber(text: "x").double.isNaN)
        #expect(JSONNumber(text: "x").int64 == nil)
    }

    @Test("integers of every width make numbers")
    func integersMade() {
        #expect(JSONNumber(UInt64.max).text == "18446744073709551615")
        #expect(JSONNumber(Int64.min).text == "-9223372036854775808")
        #expect(JSONNumber(Int64.min).int64 == .min)
        #expect(JSONNumber(UInt64.max).int64 == nil)
    }
}
