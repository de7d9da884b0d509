import Testing

@testable import TiffinLiveCore

@Suite("RESP: numbers")
struct RESPNumberTests {
    private func read<Result>(_ text: String, _ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        Array(text.utf8).withUnsafeBytes(body)
    }

    @Test(
        "integers are a sign and digits within 64 bits",
        arguments: [
            ("0", 0), ("-0", 0), ("+0", 0), ("007", 7), ("+1", 1), ("-1", -1),
            ("9223372036854775807", .max), ("-9223372036854775808", .min), ("9223372036854775808", nil),
            ("-9223372036854775809", nil), ("92233720368547758070", nil), ("99999999999999999999", nil),
            ("-99999999999999999999", nil), ("", nil), ("-", nil), ("+", nil), ("--1", nil), ("+-1", nil),
            ("1-", nil), ("1 ", nil), ("1.0", nil), ("1e3", nil), ("0x1", nil), ("/", nil), (":", nil),
            ("00000000000000000000000001", 1),
        ] as [(String, Int64?)])
    func integers(_ text: String, _ value: Int64?) {
        #expect(read(text, RESPNumber.integer) == value)
    }

    @Test(
        "lengths are digits or -1, and nothing else that is a number",
        arguments: [
            ("0", 0), ("17", 17), ("-1", -1), ("9223372036854775807", .max), ("-0", nil), ("+1", nil), ("-2", nil),
            ("-9223372036854775808", nil), ("", nil), ("-", nil), ("1.", nil), ("-01", -1), ("?", nil),
        ] as [(String, Int?)])
    func lengths(_ text: String, _ value: Int?) {
        #expect(read(text, RESPNumber.length) == value)
    }

    @Test(
        "doubles are decimal, with a fraction or an exponent or neither, and the infinities",
        arguments: [
            ("0", 0), ("-0", 0), ("10", 10), ("1.5", 1.5), ("-1.5", -1.5), ("+1.5", 1.5), ("1e3", 1000),
            ("1E-3", 0.001), ("1e+3", 1000), (".5", 0.5), ("inf", .infinity), ("+inf", .infinity),
            ("-inf", -.infinity), ("1e400", .infinity), ("Inf", nil), ("infinity", nil), ("0x1p4", nil), ("1_0", nil),
            ("", nil), ("e", nil), (".", nil), ("1e", nil), ("--1", nil), ("1,5", nil), (" 1", nil), ("1 ", nil),
            ("1.5.5", nil),
        ] as [(String, Double?)])
    func doubles(_ text: String, _ value: Double?) {
        #expect(read(text, RESPNumber.double) == value)
    }

    @Test("not a number has two spellings", arguments: ["nan", "-nan"])
    func notANumber(_ text: String) {
        #expect(read(text, RESPNumber.double)?.isNaN == true)
        #expect(read(text.uppercased(), RESPNumber.double) == nil)
    }

    @Test(
        "big numbers are a sign and digits of any count",
        arguments: [
            ("1", true), ("-1", true), ("+1", true), ("0", true), (String(repeating: "9", count: 5000), true),
            ("", false), ("-", false), ("+", false), ("1.0", false), ("1e5", false), ("-+1", false), ("1-", false),
        ])
    func bigNumbers(_ text: String, _ isOne: Bool) {
        #expect(read(text, RESPNumber.isBigNumber) == isOne)
    }

    @Test("whatever integer is written reads back", arguments: 0..<10)
    func roundTrip(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            let value = Int64.random(in: .min ... .max, using: &random) >> Int64.random(in: 0..<64, using: &random)
            #expect(read("\(value)", RESPNumber.integer) == value)
            #expect(read("\(value)", RESPNumber.length) == (value >= -1 ? Int(value) : nil))
        }
    }
}
