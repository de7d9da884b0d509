import Testing

@testable import TiffinLiveCore

@Suite("RFC 7239 §4: the elements of Forwarded")
struct ForwardedElementsTests {
    private static func nodes(_ value: String) -> [String?] {
        var nodes: [String?] = []
        Array(value.utf8).withUnsafeBytes { bytes in
            ForwardedElements.forEachNode(of: bytes) { nodes.append($0.map { String(decoding: $0, as: UTF8.self) }) }
        }
        return nodes
    }

    @Test(
        "each element gives its for, unquoted",
        arguments: [
            ("for=192.0.2.60", ["192.0.2.60"]),
            ("for=\"_gazonk\"", ["_gazonk"]),
            ("For=\"[2001:db8:cafe::17]:4711\"", ["[2001:db8:cafe::17]:4711"]),
            ("for=192.0.2.60;proto=http;by=203.0.113.43", ["192.0.2.60"]),
            ("for=192.0.2.43, for=198.51.100.17", ["192.0.2.43", "198.51.100.17"]),
            ("for=192.0.2.43, for=\"[2001:db8:cafe::17]\"", ["192.0.2.43", "[2001:db8:cafe::17]"]),
            (
                "for=192.0.2.43,for=\"[2001:db8:cafe::17]\",for=unknown",
                ["192.0.2.43", "[2001:db8:cafe::17]", "unknown"]
            ),
            ("for=_hidden, for=_SEVKISEK", ["_hidden", "_SEVKISEK"]),
            ("FOR=a", ["a"]),
            ("proto=https ; for=a ; by=b", ["a"]),
            ("by=\"for=x\";for=a", ["a"]),
            ("by=\"x;for=y\";for=a", ["a"]),
            ("by=\"x,for=y\";for=a", ["a"]),
            ("by=\"\\\"\";for=a", ["a"]),
            ("by=\"\\\\\";for=a", ["a"]),
            ("for=\"a\\b\"", ["ab"]),
            ("for=\"\\\"\"", ["\""]),
            ("for=\"\"", [""]),
            ("for=a;", ["a"]),
            (";for=a", ["a"]),
            (";;for=a;;", ["a"]),
            ("for=a=b", ["a=b"]),
            (", for=a ,", ["a"]),
        ] as [(String, [String?])])
    func wellFormed(_ value: String, _ expected: [String?]) {
        #expect(Self.nodes(value) == expected)
    }

    @Test("empty elements are none", arguments: ["", " ", ",", ", ,\t,", ",,,"])
    func empty(_ value: String) {
        #expect(Self.nodes(value).isEmpty)
    }

    @Test(
        "an element that has no for, two, or is malformed, counts but names nobody",
        arguments: [
            "proto=https", "by=a", "for", "for=", "=a", ";", "for=a;for=a", "for=a;FOR=b", "for=a;x", "x;for=a",
            "for=\"a", "for=\"a\\", "for=\"a\"b", "for=a\"", "for=a\"b\"", "for=\"a\"\"b\"", "for =a", "xfor=a", "fo=a",
            "forr=a", "for:a",
        ])
    func nobody(_ value: String) {
        #expect(Self.nodes(value) == [nil])
        #expect(Self.nodes("for=b, " + value).count == 2 || value.contains("\""))
        #expect(Self.nodes("for=b, " + value).first == "b")
    }

    @Test("a quote that is not closed swallows what follows, so that nothing behind it is believed")
    func openQuote() {
        #expect(Self.nodes("for=\"a, for=b") == [nil])
        #expect(Self.nodes("for=a;x=\", for=b") == ["a"])
        #expect(Self.nodes("for=c, for=\"a, for=b") == ["c", nil])
    }
}

@Suite("RFC 7239 §6: node identifiers, and what X-Forwarded-For has for them")
struct ForwardedNodeTests {
    private static func node(_ text: String) -> String? {
        Array(text.utf8).withUnsafeBytes { ForwardedFor.readNode($0) }?.description
    }

    @Test(
        "an address, with or without its port",
        arguments: [
            ("192.0.2.1", "192.0.2.1"),
            ("192.0.2.1:0", "192.0.2.1"),
            ("192.0.2.1:1", "192.0.2.1"),
            ("192.0.2.1:65535", "192.0.2.1"),
            ("192.0.2.1:99999", "192.0.2.1"),
            ("2001:db8::1", "2001:db8::1"),
            ("[2001:db8::1]", "2001:db8::1"),
            ("[2001:DB8::1]:1", "2001:db8::1"),
            ("[2001:db8::1]:65535", "2001:db8::1"),
            ("::ffff:192.0.2.1", "192.0.2.1"),
            ("[::ffff:192.0.2.1]:80", "192.0.2.1"),
            ("::", "::"),
            ("[::]", "::"),
            ("1:2:3:4:5:6:7:8", "1:2:3:4:5:6:7:8"),
        ])
    func addresses(_ text: String, _ expected: String) {
        #expect(Self.node(text) == expected)
    }

    @Test(
        "anything else is no address",
        arguments: [
            "", " ", "unknown", "_hidden", "localhost", "192.0.2", "192.0.2.256", "192.0.2.1:", "192.0.2.1:a",
            "192.0.2.1:123456", "192.0.2.1:1:2", "192.0.2.1 ", " 192.0.2.1", "192.0.2.1/32", ":80", ":", "[", "]", "[]",
            "[]:80", "[::1", "::1]", "[::1]:", "[::1]:a", "[::1]:123456", "[::1]80", "[::1] ", "[::1]x", "[192.0.2.1]",
            "[192.0.2.1]:80", "[[::1]]", "[::1]]", "[unknown]", "::1%eth0", "[::1%eth0]", "192.0.2.1:+1",
            "192.0.2.1:-1",
            "0x7f.1", "127.1", "2130706433", "\"192.0.2.1\"", "192.0.2.1,192.0.2.2",
        ])
    func noAddress(_ text: String) {
        #expect(Self.node(text) == nil)
    }
}
