import Testing

@testable import TiffinLiveCore

@Suite("RFC 7239: the client behind trusted balancers")
struct ForwardedForTests {
    private let trusted = ["127.0.0.0/8", "10.0.0.0/8", "::1", "fd00::/8"].compactMap { AddressRange($0) }

    private func client(
        _ lines: [String], peer: String = "127.0.0.1", header: ForwardedHeader? = .xForwardedFor
    ) -> String? {
        guard let peer = IPAddress(peer) else { return nil }
        let name = header == .forwarded ? "Forwarded" : "X-Forwarded-For"
        let fields = HTTPFields(lines.map { (name: name, value: $0) })
        return ForwardedFor.client(peer: peer, fields: fields, header: header, trusted: trusted).description
    }

    @Test("an untrusted peer is the client, whatever it says")
    func untrustedPeer() {
        #expect(client(["1.2.3.4"], peer: "198.51.100.7") == "198.51.100.7")
        #expect(client(["for=1.2.3.4"], peer: "2001:db8::1", header: .forwarded) == "2001:db8::1")
    }

    @Test("with no header configured the peer is the client")
    func noHeader() {
        #expect(client(["1.2.3.4"], header: nil) == "127.0.0.1")
    }

    @Test(
        "the right-most untrusted address is the client; a list that cannot be read leaves the peer",
        arguments: [
            (["1.2.3.4"], "1.2.3.4"), (["1.2.3.4, 198.51.100.7"], "198.51.100.7"),
            (["1.2.3.4, 198.51.100.7, 10.0.0.1, 127.0.0.9"], "198.51.100.7"),
            (["1.2.3.4", "198.51.100.7"], "198.51.100.7"), (["1.2.3.4", "10.0.0.1"], "1.2.3.4"),
            (["198.51.100.7, garbage"], "127.0.0.1"), (["garbage, 198.51.100.7"], "198.51.100.7"),
            (["garbage, 198.51.100.7, 10.0.0.1"], "198.51.100.7"), (["198.51.100.7, garbage, 10.0.0.1"], "127.0.0.1"),
            ([""], "127.0.0.1"), ([], "127.0.0.1"), ([", ,"], "127.0.0.1"), (["1.2.3.4,, "], "1.2.3.4"),
            (["10.0.0.1"], "10.0.0.1"), (["10.0.0.2, 10.0.0.1"], "10.0.0.2"), (["unknown"], "127.0.0.1"),
            (["198.51.100.7:4711"], "198.51.100.7"), (["2001:db8::1"], "2001:db8::1"),
            (["[2001:db8::1]"], "2001:db8::1"), (["[2001:db8::1]:4711"], "2001:db8::1"),
            (["::ffff:198.51.100.7"], "198.51.100.7"), (["198.51.100.7:"], "127.0.0.1"),
            (["198.51.100.7:x"], "127.0.0.1"), (["[2001:db8::1]x"], "127.0.0.1"), (["[198.51.100.7]"], "127.0.0.1"),
            (["198.51.100.7:1234567"], "127.0.0.1"), (["198.51.100.07"], "127.0.0.1"), (["fd00::9"], "fd00::9"),
        ])
    func xForwardedFor(_ lines: [String], _ expected: String) {
        #expect(client(lines) == expected)
    }

    @Test("thousands of entries are read once")
    func manyEntries() {
        let flood = String(repeating: "1.2.3.4,", count: 5000) + "198.51.100.7"
        #expect(client([flood]) == "198.51.100.7")
        #expect(client([String(repeating: "10.0.0.1,", count: 5000)]) == "10.0.0.1")
    }

    @Test(
        "Forwarded is read with its quotes, parameters and lists",
        arguments: [
            (["for=198.51.100.7"], "198.51.100.7"), (["For=\"198.51.100.7:4711\""], "198.51.100.7"),
            (["for=\"[2001:db8::1]:4711\";proto=https"], "2001:db8::1"),
            (["proto=https;for=198.51.100.7;by=10.0.0.1"], "198.51.100.7"),
            (["for=1.2.3.4, for=198.51.100.7;proto=http , for=10.0.0.1"], "198.51.100.7"),
            (["for=1.2.3.4", "for=198.51.100.7"], "198.51.100.7"),
            (["for=1.2.3.4;host=\"a,for=6.6.6.6\", for=10.0.0.1"], "1.2.3.4"),
            (["for=1.2.3.4;host=\"a\\\",for=6.6.6.6\", for=10.0.0.1"], "1.2.3.4"),
            (["for=\"198.51.100\\.7\""], "198.51.100.7"), (["for=unknown"], "127.0.0.1"),
            (["for=_hidden"], "127.0.0.1"), (["proto=https"], "127.0.0.1"), (["for=1.2.3.4;for=5.6.7.8"], "127.0.0.1"),
            (["for=\"1.2.3.4"], "127.0.0.1"), (["for=\"1.2.3.4\"x"], "127.0.0.1"), (["for=1.2.3.4;x"], "127.0.0.1"),
            (["for="], "127.0.0.1"), (["for"], "127.0.0.1"), ([""], "127.0.0.1"), (["\""], "127.0.0.1"),
            (["for=\"1.2.3.4\\"], "127.0.0.1"), (["for=198.51.100.7, "], "198.51.100.7"),
        ])
    func forwarded(_ lines: [String], _ expected: String) {
        #expect(client(lines, header: .forwarded) == expected)
    }
}
