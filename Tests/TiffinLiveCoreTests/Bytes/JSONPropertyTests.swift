import Testing

@testable import TiffinLiveCore

@Suite("JSON reader and writer: whatever the text")
struct JSONPropertyTests {
    private static let samples: [String] = [
        #"{"type":"subscribe","topic":"orders:123","after":"1700000000000-0"}"#,
        #"{"a":[1,-2.5e+10,0,true,false,null,"x\"\\\/\b\f\n\r\t\u00e9\ud83d\ude00é€😀"],"b":{"a":{},"":[]}}"#,
        "[[[[[[[[1]]]]]]],{\"a\":{\"b\":{\"c\":{}}}}]", " [ 1 , 2 ] ", "\"plain text without anything in it\"",
        "-0.0E-00",
        #"{"k1":1,"k2":2,"k3":3,"k4":4,"k5":5,"k6":6,"k7":7,"k8":8,"k9":9,"\u006b10":10}"#,
    ]

    private static let pieces: [String] = [
        "{", "}", "[", "]", ",", ":", "\"", "\"a\"", "\"a\":", "\"\\u0061\":", "\\", "\\u", "\\ud83d", "\\ude00",
        "\\u0000", "0", "-", ".5",
        "e", "1e5", "true", "null", " ", "\n", "\u{0}", "é", "😀", "\u{FEFF}", "{\"a\":1}", "[1]", "[[", "{\"a\":", "}}",
        "]]",
    ]

    /// The three ways to look at a text agree, and what is read survives being written.
    private static func check(_ bytes: [UInt8], maximumDepth: Int = 6) -> Bool {
        let isValid = bytes.withUnsafeBytes { JSONReader.isValid($0, maximumDepth: maximumDepth) }
        let value: JSONValue?
        do {
            value = try JSONReader.read(bytes, maximumDepth: maximumDepth)
        } catch {
            value = nil
            #expect((0...bytes.count).contains(error.offset))
        }
        let name = String(decoding: bytes, as: UTF8.self)
        #expect(isValid == (value != nil), "\(name.debugDescription)")
        #expect(isValid == NaiveJSON.isValid(bytes, maximumDepth: maximumDepth), "\(name.debugDescription)")
        if let value {
            let written = JSONText.written(value)
            #expect((try? JSONReader.read(written, maximumDepth: maximumDepth)) == value, "\(name.debugDescription)")
            #expect(!written.contains { $0 < 0x20 || $0 == 0x7F })
        }
        return isValid
    }

    @Test("mutated texts", arguments: 0..<40)
    func mutated(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var valid = 0
        for _ in 0..<150 {
            var bytes = Array(Self.samples[Int.random(in: 0..<Self.samples.count, using: &random)].utf8)
            for _ in 0..<Int.random(in: 0..<4, using: &random) { Self.mutate(&bytes, using: &random) }
            if Self.check(bytes) { valid += 1 }
        }
        // Unmutated ones alone are about a quarter: a reader that refuses everything must not pass.
        #expect(valid > 15 && valid < 150)
    }

    private static func mutate(_ bytes: inout [UInt8], using random: inout SeededRandom) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(place + Int.random(in: 0..<5, using: &random), bytes.count)
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes.removeSubrange(place..<end)
        case 1: bytes.insert(contentsOf: bytes[place..<end], at: Int.random(in: 0...bytes.count, using: &random))
        case 2: bytes.replaceSubrange(place..<end, with: pieces[Int.random(in: 0..<pieces.count, using: &random)].utf8)
        case 3: if place < bytes.count { bytes[place] = UInt8.random(in: .min ... .max, using: &random) }
        default: if place < bytes.count { bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random) }
        }
    }

    @Test("texts put together from pieces", arguments: 0..<40)
    func assembled(seed: Int) {
        var random = SeededRandom(seed: 1000 + UInt64(seed))
        for _ in 0..<200 {
            let count = Int.random(in: 0..<10, using: &random)
            let text = (0..<count).map { _ in Self.pieces[Int.random(in: 0..<Self.pieces.count, using: &random)] }
                .joined()
            _ = Self.check(Array(text.utf8))
        }
    }

    @Test("generated values read back as they were made", arguments: 0..<60)
    func generated(seed: Int) throws {
        var random = SeededRandom(seed: 2000 + UInt64(seed))
        for _ in 0..<20 {
            let value = Self.value(depth: 5, using: &random)
            let written = JSONText.written(value)
            #expect(try JSONReader.read(written) == value)
            #expect(Self.check(written))
        }
    }

    private static func value(depth: Int, using random: inout SeededRandom) -> JSONValue {
        switch Int.random(in: depth > 0 ? 0..<7 : 0..<5, using: &random) {
        case 0: return .null
        case 1: return .bool(.random(using: &random))
        case 2: return .integer(Int64.random(in: .min ... .max, using: &random))
        case 3: return JSONNumber(Double.random(in: -1e9..<1e9, using: &random)).map { .number($0) } ?? .null
        case 4: return .string(string(using: &random))
        case 5:
            return .array(
                (0..<Int.random(in: 0..<5, using: &random)).map { _ in value(depth: depth - 1, using: &random) })
        default:
            var object = JSONObject()
            for _ in 0..<Int.random(in: 0..<14, using: &random) {
                object[string(using: &random)] = value(depth: depth > 3 ? depth - 1 : 0, using: &random)
            }
            return .object(object)
        }
    }

    private static func string(using random: inout SeededRandom) -> String {
        var text = ""
        for _ in 0..<Int.random(in: 0..<12, using: &random) {
            let limit: UInt32 = [0x20, 0x80, 0x800, 0x3000, 0x11_0000][Int.random(in: 0..<5, using: &random)]
            if let scalar = Unicode.Scalar(UInt32.random(in: 0..<limit, using: &random)) {
                text.unicodeScalars.append(scalar)
            }
        }
        return text
    }
}
