import Testing

@testable import TiffinLiveCore

@Suite("RFC 7519 §2: NumericDate")
struct NumericDateTests {
    static func read(_ json: String) throws -> Nanoseconds? {
        NumericDate.nanoseconds(try JSONReader.read(Array(json.utf8)))
    }

    @Test(
        "Whole seconds and fractions are read, rounded down",
        arguments: [
            ("0", 0), ("-0", 0), ("1", 1_000_000_000), ("1.5", 1_500_000_000), ("0.1", 100_000_000),
            ("1700000000", 1_700_000_000_000_000_000), ("1700000000.5", 1_700_000_000_500_000_000),
            ("1.7e9", 1_700_000_000_000_000_000), ("17E8", 1_700_000_000_000_000_000), ("-0.0", 0),
            ("1e-400", 0),
        ] as [(String, Nanoseconds)])
    func read(_ json: String, _ expected: Nanoseconds) throws {
        #expect(try Self.read(json) == expected)
    }

    @Test(
        "C2: what lies past the range is the end of it, and nothing traps",
        arguments: [
            "9223372037", "9007199254740993", "9223372036854775807", "9223372036854775808", "18446744073709551616",
            "1e308", "1999999999000", "9.3e9",
        ])
    func clamped(_ json: String) throws {
        #expect(try Self.read(json) == .max)
    }

    @Test(
        "C1: other types, negative and infinite values are no dates",
        arguments: [
            "\"1\"", "null", "true", "[1]", "{}", "-1", "-0.5", "-1e308", "1e400", "-1e400", "-9223372036854775808",
        ])
    func refused(_ json: String) throws {
        #expect(try Self.read(json) == nil)
    }

    @Test("A number of 10,000 digits is no date either")
    func digits() throws {
        #expect(try Self.read(String(repeating: "9", count: 10_000)) == nil)
    }

    @Test("Whole and fractional forms agree to the microsecond", arguments: 0..<50)
    func agreement(_ seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        let seconds = Int64.random(in: 0...4_000_000_000, using: &random)
        let whole = try #require(try Self.read("\(seconds)"))
        let fractional = try #require(try Self.read("\(seconds).25"))
        #expect(abs(fractional - whole - 250_000_000) < 1000)
        #expect(try Self.read("\(seconds).0") == whole)
    }
}
