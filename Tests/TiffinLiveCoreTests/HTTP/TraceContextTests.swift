import Testing

@testable import TiffinLiveCore

/// W3C Trace Context, section 3.2 (`traceparent`).
@Suite("Trace context")
struct TraceContextTests {
    private static let good = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

    private func read(_ text: String) -> TraceContext? {
        Array(text.utf8).withUnsafeBytes { TraceContext($0) }
    }

    @Test("the ids of a good one are given back as they were sent")
    func good() throws {
        let trace = try #require(read(Self.good))
        #expect(trace.traceID == "4bf92f3577b34da6a3ce929d0e0e4736")
        #expect(trace.parentID == "00f067aa0ba902b7")
    }

    @Test(
        "ids need one bit only, and keep their zeros in front",
        arguments: [
            "00-00000000000000000000000000000001-0000000000000001-00",
            "00-00000000000000010000000000000000-8000000000000000-ff",
            "00-ffffffffffffffffffffffffffffffff-ffffffffffffffff-00",
        ])
    func edges(text: String) throws {
        let trace = try #require(read(text))
        #expect(trace.traceID == text.dropFirst(3).prefix(32))
        #expect(trace.parentID == text.dropFirst(36).prefix(16))
    }

    @Test(
        "a later version may say more behind another dash",
        arguments: [
            "01-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-what-the-future-brings",
            "fe-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
        ])
    func laterVersions(text: String) throws {
        #expect(try #require(read(text)).parentID == "00f067aa0ba902b7")
    }

    @Test(
        "whatever breaks a rule is no trace",
        arguments: [
            "", "00", "00-", "-", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01.what",
            "cc-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-011",
            "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "0-4bf92f3577b34da6a3ce929d0e0e47360-00f067aa0ba902b7-01",
            "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
            "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00F067AA0BA902B7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-0A",
            "0A-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e473-600f067aa0ba902b7-01",
            "00_4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736_00f067aa0ba902b7-01",
            "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7_01",
            "00-4bf92f3577b34da6a3ce929d0e0e473g-00f067aa0ba902b7-01",
            "+0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            " 0-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
            "00-\u{66}\u{FF46}\u{FF46}34da6a3ce929d0e0e47361234567-00f067aa0ba902b7-01",
        ])
    func malformed(text: String) {
        #expect(read(text) == nil)
    }

    @Test("one byte changed leaves a trace only where another digit is as good, and then it is that digit")
    func mutations() {
        let digits = Set("0123456789abcdef".utf8)
        let dashes: Set = [2, 35, 52]
        let original = Array(Self.good.utf8)
        for index in original.indices {
            for byte in UInt8.min...UInt8.max {
                var bytes = original
                bytes[index] = byte
                let trace = bytes.withUnsafeBytes { TraceContext($0) }
                let isGood = dashes.contains(index) ? byte == UInt8(ascii: "-") : digits.contains(byte)
                #expect((trace != nil) == isGood, "\(index): \(byte)")
                guard let trace else { continue }
                let text = String(decoding: bytes, as: UTF8.self)
                #expect(trace.traceID == text.dropFirst(3).prefix(32))
                #expect(trace.parentID == text.dropFirst(36).prefix(16))
            }
        }
    }

    @Test("every length of random bytes is refused without harm", arguments: 0..<8)
    func randomBytes(seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let alphabet = Array("0123456789abcdef-AF g\u{0}".utf8) + [0x80, 0xFF]
        for length in 0...80 {
            let bytes = (0..<length).map { _ in alphabet[Int.random(in: 0..<alphabet.count, using: &random)] }
            #expect(bytes.withUnsafeBytes { TraceContext($0) } == nil)
        }
    }

    @Test("the name of the field is matched in any case; two fields are none, even when they are the same")
    func fields() {
        #expect(TraceContext.read(HTTPFields([("TraceParent", Self.good)])) == read(Self.good))
        #expect(TraceContext.read(HTTPFields()) == nil)
        #expect(TraceContext.read(HTTPFields([("tracestate", Self.good)])) == nil)
        #expect(TraceContext.read(HTTPFields([("traceparent", Self.good), ("traceparent", Self.good)])) == nil)
        #expect(TraceContext.read(HTTPFields([("traceparent", Self.good + "," + Self.good)])) == nil)
    }
}
