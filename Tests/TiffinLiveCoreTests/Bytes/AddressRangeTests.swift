import Testing

@testable import TiffinLiveCore

@Suite("RFC 4632 §3.1: blocks of addresses")
struct AddressRangeTests {
    @Test(
        "a range holds its addresses and no others",
        arguments: [
            ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.0", false), ("10.1.2.3/8", "10.9.9.9", true),
            ("192.0.2.7", "192.0.2.7", true), ("192.0.2.7", "192.0.2.8", false), ("192.0.2.7/32", "192.0.2.7", true),
            ("192.0.2.7/31", "192.0.2.6", true), ("0.0.0.0/0", "203.0.113.1", true), ("0.0.0.0/0", "::1", false),
            ("::/0", "2001:db8::1", true), ("::/0", "203.0.113.1", false), ("2001:db8::/32", "2001:db8:ffff::", true),
            ("2001:db8::/32", "2001:db9::", false), ("2001:db8::/64", "2001:db8::ffff:1", true),
            ("2001:db8::/64", "2001:db8:0:1::", false), ("2001:db8::/65", "2001:db8:0:0:8000::", false),
            ("2001:db8::1/128", "2001:db8::1", true), ("2001:db8::1/128", "2001:db8::2", false),
            ("::1", "::1", true), ("::1/127", "::", true), ("127.0.0.0/8", "::ffff:127.0.0.1", true),
            ("::ffff:10.0.0.0/8", "10.1.1.1", true), ("10.0.0.0/00008", "10.1.1.1", true),
        ])
    func contains(_ range: String, _ address: String, _ isInside: Bool) throws {
        #expect(try #require(AddressRange(range)).contains(try #require(IPAddress(address))) == isInside)
    }

    @Test(
        "what is no range is refused",
        arguments: [
            "", "/", "10.0.0.0/", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/+8", "10.0.0.0/8/8", "10.0.0.0/a", "10/8",
            "::/129", "::/", "/8", "10.0.0.0 /8", "localhost", "10.0.0.0/99999999999999999999",
        ])
    func refused(_ text: String) {
        #expect(AddressRange(text) == nil)
    }
}
