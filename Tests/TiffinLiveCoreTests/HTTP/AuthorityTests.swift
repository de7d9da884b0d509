import Testing

@testable import TiffinLiveCore

@Suite("RFC 9110 §7.2, RFC 3986 §3.2: host and port")
struct AuthorityTests {
    private static func isValid(_ text: String) -> Bool {
        Array(text.utf8).withUnsafeBytes { Authority.isValid($0) }
    }

    @Test(
        "well formed",
        arguments: [
            "a", "A", "localhost", "live.tiffin.example", "live.tiffin.example.", "127.0.0.1", "999.999.999.999", "-a",
            "a-", "a_b", "a~b", "1", ".", "..", "xn--bcher-kva.example",
            "h:", "h:0", "h:1", "h:80", "h:080", "h:65535", "h:000000000065535",
            "[::]", "[::1]", "[::1]:", "[::1]:0", "[::1]:65535", "[2001:db8::1]:443", "[::ffff:192.0.2.1]",
            "[1:2:3:4:5:6:7:8]", "[FE80::1]", "[::1.2.3.4]:80",
        ])
    func wellFormed(_ text: String) {
        #expect(Self.isValid(text))
    }

    @Test(
        "malformed",
        arguments: [
            "", ":", ":80", "::", "::1", "2001:db8::1", "h:65536", "h:99999", "h:100000", "h:99999999999999999999",
            "h:-1", "h:+1", "h: 80", "h:80 ", "h :80", " h", "h ", "h:8a", "h:0x50", "h::80", "h:80:80", "h:80/",
            "[", "]", "[]", "[]:80", "[:]", "[::1", "::1]", "[::1]80", "[::1]a", "[::1]:a", "[::1]]", "[[::1]]",
            "[::1]:65536", "[127.0.0.1]", "[localhost]", "[v1.a]", "[::1%25eth0]", "[::1%eth0]", "[ ::1]", "[::1 ]",
            "u@h", "u:p@h", "h/", "h/x", "h?x", "h#x", "h%41", "h,h", "h;h", "a b", "a\tb", "h\u{0}", "caf\u{E9}", "*",
            "h\\", "<h>", "\"h\"", "(h)", "h!", "h$", "h&", "h'", "h+", "h=",
        ])
    func malformed(_ text: String) {
        #expect(!Self.isValid(text))
    }

    @Test("a name of 255 bytes is taken, with a port behind it too, and one of 256 is not")
    func longest() {
        let longest = String(repeating: "a", count: 255)
        #expect(Self.isValid(longest))
        #expect(Self.isValid(longest + ":65535"))
        #expect(!Self.isValid(longest + "a"))
        #expect(!Self.isValid(longest + "a:1"))
    }

    @Test("every port from 0 to 65535 is one, the next are none")
    func ports() {
        for port in 0...65_535 where port % 257 == 0 || port > 65_500 || port < 300 {
            #expect(Self.isValid("h:\(port)"))
            #expect(Self.isValid("[::1]:\(port)"))
        }
        for port in 65_536...65_600 { #expect(!Self.isValid("h:\(port)")) }
        #expect(!Self.isValid("h:" + String(repeating: "9", count: 5000)))
        #expect(Self.isValid("h:" + String(repeating: "0", count: 5000)))
    }

    @Test("of single bytes exactly those of a host name are hosts")
    func singleBytes() {
        for byte in UInt8.min...UInt8.max {
            let isHost = [byte].withUnsafeBytes { Authority.isValid($0) }
            #expect(isHost == ByteSet.hostName.contains(byte))
            let behind = [0x61, byte].withUnsafeBytes { Authority.isValid($0) }
            #expect(behind == (ByteSet.hostName.contains(byte) || byte == ASCII.colon))
        }
    }
}
