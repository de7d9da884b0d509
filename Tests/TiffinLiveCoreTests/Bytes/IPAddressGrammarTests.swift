import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("RFC 4291 §2.2, RFC 5952 §4: the texts of addresses")
struct IPAddressGrammarTests {
    /// What the C library makes of `text`: a second reader that shares no code with ours.
    private static func system(_ text: String) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: 16)
        if text.utf8.contains(ASCII.colon) { return inet_pton(AF_INET6, text, &bytes) == 1 ? bytes : nil }
        guard inet_pton(AF_INET, text, &bytes) == 1 else { return nil }
        return [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF] + bytes.prefix(4)
    }

    private static func ours(_ text: String) -> [UInt8]? {
        IPAddress(text).map { address in
            [address.high, address.low].flatMap { word in
                (0..<8).map { UInt8(truncatingIfNeeded: word >> UInt64(56 - 8 * $0)) }
            }
        }
    }

    @Test(
        "RFC 5952 §4: lower case, no leading zeros, the longest run of zeros shortened, the first of equal ones",
        arguments: [
            ("2001:0db8::0001", "2001:db8::1"),
            ("2001:db8:0:0:0:0:2:1", "2001:db8::2:1"),
            ("2001:db8:0:1:1:1:1:1", "2001:db8:0:1:1:1:1:1"),
            ("2001:0:0:1:0:0:0:1", "2001:0:0:1::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"),
            ("2001:DB8::AbCd", "2001:db8::abcd"),
            ("0:0:1:0:0:0:0:0", "0:0:1::"),
            ("0:0:0:1:0:0:0:0", "0:0:0:1::"),
            ("0:0:0:0:1:0:0:0", "::1:0:0:0"),
            ("0:0:0:0:0:1:0:0", "::1:0:0"),
            ("0:0:0:0:0:0:1:0", "::1:0"),
            ("1:0:0:0:0:0:0:0", "1::"),
            ("0:1:0:1:0:1:0:1", "0:1:0:1:0:1:0:1"),
            ("0:0:1:1:0:0:1:1", "::1:1:0:0:1:1"),
            ("1:1:0:0:1:1:0:0", "1:1::1:1:0:0"),
            ("1:0:1:0:1:0:0:0", "1:0:1:0:1::"),
            ("f:0:0:0:f:0:0:0", "f::f:0:0:0"),
            ("ffff::", "ffff::"),
            ("::ffff", "::ffff"),
            ("::ffff:0", "::ffff:0"),
            ("::fffe:1.2.3.4", "::fffe:102:304"),
            ("::ffff:0:0", "0.0.0.0"),
            ("::ffff:255.255.255.255", "255.255.255.255"),
            ("1::ffff:1.2.3.4", "1::ffff:102:304"),
        ])
    func canonical(_ text: String, _ expected: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == expected)
        #expect(IPAddress(expected) == address)
        #expect(Self.ours(text) == Self.system(text))
    }

    @Test("a :: stands for one group or more at every place", arguments: 0...7)
    func everyGap(_ before: Int) {
        for after in 0...(7 - before) {
            let front = (0..<before).map { String($0 + 1, radix: 16) }.joined(separator: ":")
            let back = (0..<after).map { String($0 + 10, radix: 16) }.joined(separator: ":")
            let text = front + "::" + back
            #expect(Self.ours(text) != nil, "\(text)")
            #expect(Self.ours(text) == Self.system(text), "\(text)")
        }
        let eight = (0..<before).map { _ in "1" } + [""] + (before..<8).map { _ in "2" }
        let text = before == 0 ? ":" + eight.joined(separator: ":") : eight.joined(separator: ":")
        #expect(IPAddress(text) == nil, "\(text)")
    }

    @Test("every octet from 0 to 255 at every place, and none beyond")
    func octets() {
        for place in 0..<4 {
            for octet in 0...300 {
                var octets = ["1", "2", "3", "4"]
                octets[place] = String(octet)
                let text = octets.joined(separator: ".")
                #expect((IPAddress(text) != nil) == (octet < 256))
                #expect(Self.ours(text) == Self.system(text))
                #expect((IPAddress("::" + text) != nil) == (octet < 256))
            }
        }
    }

    @Test("a group has one to four digits, wherever it stands", arguments: 0..<8)
    func groupLength(_ place: Int) {
        for digits in 1...6 {
            var groups = [String](repeating: "a", count: 8)
            groups[place] = String(repeating: "1", count: digits)
            let text = groups.joined(separator: ":")
            #expect((IPAddress(text) != nil) == (digits <= 4))
            #expect(Self.ours(text) == Self.system(text))
            groups[place] = ""
            #expect((IPAddress(groups.joined(separator: ":")) != nil) == (1...6).contains(place))
        }
    }

    @Test(
        "one byte of a good text changed: read or refused as the C library does",
        arguments: [
            "192.0.2.17", "2001:db8::1", "::", "::1", "1:2:3:4:5:6:7:8", "::ffff:192.0.2.1", "64:ff9b::192.0.2.33",
            "fe80::",
            "1:2:3:4:5:6:1.2.3.4", "1::8",
        ])
    func changedByte(_ text: String) {
        let bytes = Array(text.utf8)
        for place in bytes.indices {
            for other in Array("0123456789abcdefgxAFG:.%/[] -+".utf8) {
                var changed = bytes
                changed[place] = other
                let text = String(decoding: changed, as: UTF8.self)
                #expect(Self.ours(text) == Self.system(text), "\(text)")
                changed.insert(bytes[place], at: place)
                let longer = String(decoding: changed, as: UTF8.self)
                #expect(Self.ours(longer) == Self.system(longer), "\(longer)")
            }
            var shorter = bytes
            shorter.remove(at: place)
            let text = String(decoding: shorter, as: UTF8.self)
            #expect(Self.ours(text) == Self.system(text), "\(text)")
        }
    }

    @Test("random texts of the alphabet: read or refused as the C library does", arguments: 0..<20 as Range<UInt64>)
    func randomTexts(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        let pieces = ["0", "1", "ffff", "abcd", "255", "256", "01", ":", "::", ".", "1.2.3.4", "12345", "g"]
        for _ in 0..<500 {
            var text = ""
            for _ in 0..<Int.random(in: 1...16, using: &random) { text += pieces.randomElement(using: &random) ?? "" }
            #expect(Self.ours(text) == Self.system(text), "\(text)")
        }
    }

    @Test("what we write the C library reads as the same address", arguments: 0..<10 as Range<UInt64>)
    func written(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        for _ in 0..<200 {
            // Groups of which half are zero, and now and then a mapped address.
            var groups = (0..<8).map { _ in
                Bool.random(using: &random) ? 0 : UInt64.random(in: 0...0xFFFF, using: &random)
            }
            if Int.random(in: 0..<8, using: &random) == 0 { groups = [0, 0, 0, 0, 0, 0xFFFF] + groups.suffix(2) }
            let high = groups[..<4].reduce(0) { $0 << 16 | $1 }
            let low = groups[4...].reduce(0) { $0 << 16 | $1 }
            let address = IPAddress(high: high, low: low)
            #expect(Self.system(address.description) == Self.ours(address.description))
            #expect(IPAddress(address.description) == address)
        }
    }

    @Test("the network of an address has its first 64 bits and no others")
    func network() {
        let ones = IPAddress(high: .max, low: .max)
        #expect(ones.network64 == IPAddress(high: .max, low: 0))
        #expect(IPAddress(high: 1, low: 1).network64 == IPAddress(high: 1, low: 0))
        // ::ffff:0:0/96 is IPv4, its neighbours are not.
        let mapped = IPAddress(version4: 0x0102_0304)
        #expect(mapped.network64 == mapped)
        #expect(IPAddress(high: 0, low: 0xFFFE_0000_0000).network64 == IPAddress(high: 0, low: 0))
        #expect(IPAddress(high: 1, low: mapped.low).network64 == IPAddress(high: 1, low: 0))
        #expect(IPAddress(high: 0, low: mapped.low | 1 << 48).isVersion4 == false)
    }
}

@Suite("RFC 4632 §3.1: prefixes of every length")
struct AddressRangeLengthTests {
    @Test("an IPv6 range of every length holds its ends and not its neighbours", arguments: 0...128)
    func version6(_ length: Int) throws {
        // All ones before the prefix ends, so that every bit of it counts.
        let mask = length == 0 ? UInt128(0) : ~UInt128(0) << UInt128(128 - length)
        let first = (UInt128(0x2001_0DB8_5A5A_A5A5) << 64 | 0x1234_5678_9ABC_DEF1) & mask
        let last = first | ~mask
        let range = try #require(AddressRange("\(Self.address(last))/\(length)"))
        #expect(range.contains(Self.address(first)))
        #expect(range.contains(Self.address(last)))
        guard length > 0 else { return }
        #expect(!range.contains(Self.address(last &+ 1)))
        #expect(!range.contains(Self.address(first &- 1)))
        for bit in (128 - length)..<128 { #expect(!range.contains(Self.address(first ^ (UInt128(1) << UInt128(bit))))) }
    }

    @Test("an IPv4 range of every length holds its ends and not its neighbours", arguments: 0...32)
    func version4(_ length: Int) throws {
        let mask = length == 0 ? UInt32(0) : ~UInt32(0) << UInt32(32 - length)
        let first = 0xC0A8_5A5B & mask
        let last = first | ~mask
        let range = try #require(AddressRange("\(IPAddress(version4: last))/\(length)"))
        #expect(range.contains(IPAddress(version4: first)))
        #expect(range.contains(IPAddress(version4: last)))
        #expect(!range.contains(IPAddress(high: 0, low: UInt64(first))))
        #expect(!range.contains(IPAddress(high: 1, low: IPAddress(version4: first).low)))
        for bit in (32 - length)..<32 { #expect(!range.contains(IPAddress(version4: first ^ 1 << UInt32(bit)))) }
    }

    @Test("a range is the same however its host bits are written")
    func hostBits() {
        #expect(AddressRange("10.1.2.3/8") == AddressRange("10.0.0.0/8"))
        #expect(AddressRange("10.1.2.3/8") != AddressRange("10.0.0.0/9"))
        #expect(AddressRange("2001:db8::1/32") == AddressRange("2001:db8:ffff::/32"))
        #expect(AddressRange("192.0.2.1") == AddressRange("192.0.2.1/32"))
        #expect(AddressRange("::1") == AddressRange("::1/128"))
        #expect(AddressRange("::/0") != AddressRange("0.0.0.0/0"))
    }

    private static func address(_ value: UInt128) -> IPAddress {
        IPAddress(high: UInt64(truncatingIfNeeded: value >> 64), low: UInt64(truncatingIfNeeded: value))
    }
}
