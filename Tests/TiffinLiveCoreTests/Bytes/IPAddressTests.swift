import Testing

@testable import TiffinLiveCore

@Suite("RFC 4291 §2.2, RFC 5952: addresses")
struct IPAddressTests {
    @Test(
        "an address is read and written in its canonical form",
        arguments: [
            ("127.0.0.1", "127.0.0.1"), ("0.0.0.0", "0.0.0.0"), ("255.255.255.255", "255.255.255.255"),
            ("::", "::"), ("::1", "::1"), ("1::", "1::"), ("2001:DB8::1", "2001:db8::1"),
            ("2001:db8:0:0:1:0:0:1", "2001:db8::1:0:0:1"), ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
            ("0:0:0:0:0:0:0:0", "::"), ("1:0:0:4:5:6:7:8", "1::4:5:6:7:8"), ("1:0:3:4:5:6:7:8", "1:0:3:4:5:6:7:8"),
            ("1::3:4:5:6:7:8", "1:0:3:4:5:6:7:8"), ("::2:3:4:5:6:7:8", "0:2:3:4:5:6:7:8"),
            ("1:2:3:4:5:6:7::", "1:2:3:4:5:6:7:0"), ("::ffff:1.2.3.4", "1.2.3.4"), ("::FFFF:102:304", "1.2.3.4"),
            ("64:ff9b::192.0.2.33", "64:ff9b::c000:221"), ("::1.2.3.4", "::102:304"), ("fe80::1", "fe80::1"),
            ("1:2:3:4:5:6:1.2.3.4", "1:2:3:4:5:6:102:304"), ("0001:0002::00ab", "1:2::ab"),
            ("ffff:ffff:ffff:ffff:ffff:ffff:255.255.255.255", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"),
        ])
    func spelling(_ text: String, _ canonical: String) throws {
        let address = try #require(IPAddress(text))
        #expect(address.description == canonical)
        #expect(IPAddress(canonical) == address)
    }

    @Test(
        "what is no address is refused",
        arguments: [
            "", ":", ":::", "1", "1.2.3", "1.2.3.4.5", "1.2.3.256", "1.2.3.999", "01.2.3.4", "1.2.3.04", "1.2.3.",
            ".1.2.3",
            "1..2.3", "1.2.3.4 ", " 1.2.3.4", "0x7f.0.0.1", "1.2.3.4:80", "a.b.c.d", "1.2.3.-4", "00.0.0.0", "1:2",
            ":1",
            "1:", "1:2:3:4:5:6:7", "1:2:3:4:5:6:7:8:9", "1::2::3", "::1::", "1:2:3:4:5:6:7:8::", "::1:2:3:4:5:6:7:8",
            "12345::", "g::", "::1%eth0", "[::1]", "::1.2.3", "::1.2.3.4:5", "1.2.3.4::", "1:2:3:4:5:6:7:1.2.3.4",
            "::1:", ":1::", "1:2:3:4:5:6:7:", "::00001", "::1/64", "2001:db8::1\u{0}", "0:0:0:0:0:ffff:1.2.3.4.5",
        ])
    func refused(_ text: String) {
        #expect(IPAddress(text) == nil)
    }

    @Test("an IPv4 address is the same however it came in")
    func mapped() throws {
        let plain = try #require(IPAddress("192.0.2.7"))
        #expect(IPAddress("::ffff:192.0.2.7") == plain)
        #expect(IPAddress(version4: 0xC000_0207) == plain)
        #expect(plain.isVersion4)
        #expect(plain.version4 == 0xC000_0207)
        #expect(IPAddress("::1")?.version4 == nil)
        #expect(IPAddress("::ffff:0:1.2.3.4")?.isVersion4 == false)
    }

    @Test("an IPv6 address counts by its /64, an IPv4 address whole")
    func network() {
        #expect(IPAddress("2001:db8:1:2:3:4:5:6")?.network64.description == "2001:db8:1:2::")
        #expect(IPAddress("192.0.2.7")?.network64.description == "192.0.2.7")
    }

    @Test("every random address survives being written and read")
    func roundTrip() {
        var random = SeededRandom(seed: 3)
        for _ in 0..<2000 {
            var high = random.next()
            var low = random.next()
            // Zero groups are what the short form is about.
            for shift: UInt64 in [0, 16, 32, 48] where Bool.random(using: &random) { high &= ~(0xFFFF << shift) }
            for shift: UInt64 in [0, 16, 32, 48] where Bool.random(using: &random) { low &= ~(0xFFFF << shift) }
            let address = IPAddress(high: high, low: low)
            #expect(IPAddress(address.description) == address)
        }
    }
}
