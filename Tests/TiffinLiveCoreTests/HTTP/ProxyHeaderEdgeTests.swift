import Testing

@testable import TiffinLiveCore

@Suite("The PROXY protocol §2.1, §2.2: every field at its edges")
struct ProxyHeaderEdgeTests {
    private enum Verdict: Equatable {
        case needsMore
        case header(String?, consumed: Int)
        case refused(ProxyHeaderError)
    }

    private static func verdict(_ bytes: [UInt8]) -> Verdict {
        var decoder = ProxyHeaderDecoder()
        var consumed = 0
        do throws(ProxyHeaderError) {
            let buffer = ByteBuffer()
            buffer.append(bytes)
            guard let header = try decoder.receive(buffer.bytes, consumed: &consumed) else { return .needsMore }
            return .header(header.source?.description, consumed: consumed)
        } catch {
            return .refused(error)
        }
    }

    private static func verdict(_ line: String) -> Verdict { verdict(Array(line.utf8)) }

    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    private static func binary(_ command: UInt8, _ family: UInt8, length: Int, _ content: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(length >> 8), UInt8(length & 255)] + content
    }

    // MARK: Version 1

    @Test("a line of 107 bytes is the longest")
    func longestLine() {
        let fits = "PROXY UNKNOWN " + String(repeating: "x", count: 91) + "\r\n"
        #expect(fits.utf8.count == 107)
        #expect(Self.verdict(fits) == .header(nil, consumed: 107))
        let long = "PROXY UNKNOWN " + String(repeating: "x", count: 92) + "\r\n"
        #expect(Self.verdict(long) == .refused(.malformed))
        // The 107th byte decides: without its line feed there is no more to wait for.
        #expect(Self.verdict(String(long.prefix(106))) == .needsMore)
        #expect(Self.verdict(String(long.prefix(107))) == .refused(.malformed))
    }

    @Test("the longest addresses fit")
    func longestAddresses() {
        let address = "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff"
        let line = "PROXY TCP6 \(address) \(address) 65535 65535\r\n"
        #expect(line.utf8.count == 104)
        #expect(Self.verdict(line) == .header(address, consumed: 104))
    }

    @Test(
        "ports are 0 to 65535, in digits",
        arguments: [
            ("0", true), ("1", true), ("65535", true), ("00080", true), ("65536", false), ("99999", false),
            ("000080", false), ("", false), ("-1", false), ("+1", false), ("8a", false), ("0x50", false),
            ("1.0", false),
        ])
    func ports(_ port: String, _ isGood: Bool) {
        for line in ["PROXY TCP4 192.0.2.1 192.0.2.2 \(port) 80\r\n", "PROXY TCP4 192.0.2.1 192.0.2.2 80 \(port)\r\n"] {
            let expected = isGood ? Verdict.header("192.0.2.1", consumed: line.utf8.count) : .refused(.malformed)
            #expect(Self.verdict(line) == expected)
        }
    }

    @Test(
        "a line in any other form is refused",
        arguments: [
            "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\n",
            "PROXY TCP4 192.0.2.1 192.0.2.2 1 2\r\r\n",
            "PROXY TCP4 192.0.2.1 192.0.2.2 1 2 3\r\n",
            "PROXY TCP4 192.0.2.1 192.0.2.2 1\r\n",
            "PROXY TCP4 192.0.2.1 1 2\r\n",
            "PROXY TCP4 192.0.2.1  192.0.2.2 1 2\r\n",
            "PROXY  TCP4 192.0.2.1 192.0.2.2 1 2\r\n",
            "PROXY TCP4\t192.0.2.1 192.0.2.2 1 2\r\n",
            "PROXY TCP4 192.0.2.1 host 1 2\r\n",
            "PROXY TCP4 192.0.2.256 192.0.2.2 1 2\r\n",
            "PROXY TCP4 192.0.2.1 192.0.2.256 1 2\r\n",
            "PROXY TCP4 192.0.2.1 2001:db8::1 1 2\r\n",
            "PROXY TCP4 2001:db8::1 192.0.2.1 1 2\r\n",
            "PROXY TCP4 [2001:db8::1] [2001:db8::2] 1 2\r\n",
            "PROXY TCP6 [2001:db8::1] [2001:db8::2] 1 2\r\n",
            "PROXY TCP6 2001:db8::1 host 1 2\r\n",
            "PROXY TCP 192.0.2.1 192.0.2.2 1 2\r\n",
            "PROXY TCP5 192.0.2.1 192.0.2.2 1 2\r\n",
            "PROXY UDP6 ::1 ::2 1 2\r\n",
            "PROXY UNIX a b\r\n",
            "PROXY unknown\r\n",
            "PROXY UNKNOWNX\r\n",
            "PROXY UNKNOW\r\n",
            "PROXY  UNKNOWN\r\n",
            "PROXY \r\n",
            "PROXY \n",
            "PROXY UNKNOWN\n",
        ])
    func malformedLines(_ line: String) {
        #expect(Self.verdict(line) == .refused(.malformed))
    }

    @Test("TCP6 may carry mapped addresses and plain IPv4")
    func mapped() {
        #expect(Self.verdict("PROXY TCP6 ::ffff:192.0.2.1 ::1 1 2\r\n") == .header("192.0.2.1", consumed: 37))
        #expect(Self.verdict("PROXY TCP4 ::ffff:192.0.2.1 192.0.2.2 1 2\r\n") == .header("192.0.2.1", consumed: 43))
    }

    @Test("each byte of the word PROXY and its space is looked at as it comes")
    func wordByWord() {
        let word = Array("PROXY ".utf8)
        for place in 1..<word.count {
            for byte in UInt8.min...UInt8.max where byte != word[place] {
                #expect(Self.verdict(Array(word[..<place]) + [byte]) == .refused(.missing))
            }
            #expect(Self.verdict(Array(word[...place])) == .needsMore)
        }
    }

    // MARK: Version 2

    @Test("each byte of the signature is looked at as it comes")
    func signatureByteByByte() {
        for place in Self.signature.indices {
            for byte in UInt8.min...UInt8.max where byte != Self.signature[place] {
                if place == 0, byte == 0x50 { continue }
                #expect(Self.verdict(Array(Self.signature[..<place]) + [byte]) == .refused(.missing))
            }
            #expect(Self.verdict(Array(Self.signature[...place])) == .needsMore)
        }
    }

    @Test("of all versions and commands exactly LOCAL and PROXY of version 2 are taken")
    func commands() {
        for command in UInt8.min...UInt8.max {
            let verdict = Self.verdict(Self.binary(command, 0x00, length: 0, []))
            let isKnown = command == 0x20 || command == 0x21
            #expect(verdict == (isKnown ? .header(nil, consumed: 16) : .refused(.malformed)))
        }
    }

    @Test("of all families exactly TCP and UDP over IPv4 and IPv6 name a client")
    func families() {
        let content: [UInt8] = [192, 0, 2, 1, 192, 0, 2, 2] + [UInt8](repeating: 1, count: 28)
        for family in UInt8.min...UInt8.max {
            let verdict = Self.verdict(Self.binary(0x21, family, length: 36, content))
            let source: String? =
                switch family {
                case 0x11, 0x12: "192.0.2.1"
                case 0x21, 0x22: "c000:201:c000:202:101:101:101:101"
                default: nil
                }
            #expect(verdict == .header(source, consumed: 52))
            // LOCAL is the balancer's own connection, whatever addresses stand there.
            #expect(Self.verdict(Self.binary(0x20, family, length: 36, content)) == .header(nil, consumed: 52))
        }
    }

    @Test("a length that has no room for the addresses is refused, a longer one is skipped whole", arguments: 0...60)
    func lengths(_ length: Int) {
        let content = [UInt8](repeating: 7, count: length)
        let rest = Array("GET".utf8)
        let version4 = Self.verdict(Self.binary(0x21, 0x11, length: length, content) + rest)
        #expect(version4 == (length < 12 ? .refused(.malformed) : .header("7.7.7.7", consumed: 16 + length)))
        let version6 = Self.verdict(Self.binary(0x21, 0x21, length: length, content) + rest)
        let address = "707:707:707:707:707:707:707:707"
        #expect(version6 == (length < 36 ? .refused(.malformed) : .header(address, consumed: 16 + length)))
        let none = Self.verdict(Self.binary(0x21, 0x00, length: length, content) + rest)
        #expect(none == .header(nil, consumed: 16 + length))
    }

    @Test("every header that is cut short waits for the rest")
    func cutShort() {
        let content = [UInt8](repeating: 7, count: 20)
        let whole = Self.binary(0x21, 0x11, length: 20, content)
        for length in 1..<whole.count { #expect(Self.verdict(Array(whole.prefix(length))) == .needsMore) }
        #expect(Self.verdict(whole) == .header("7.7.7.7", consumed: 36))
        #expect(Self.verdict([UInt8]()) == .needsMore)
    }

    @Test("both bytes of the length count")
    func lengthBytes() {
        for length in [255, 256, 257, 511, 4096, 65_535] {
            let content = [UInt8](repeating: 7, count: length)
            #expect(
                Self.verdict(Self.binary(0x21, 0x11, length: length, content) + [1, 2])
                    == .header("7.7.7.7", consumed: 16 + length))
            #expect(Self.verdict(Self.binary(0x21, 0x11, length: length, Array(content.dropLast()))) == .needsMore)
        }
    }

    @Test("a mapped address in an IPv6 header is the IPv4 client")
    func mappedBinary() {
        let source = [UInt8](repeating: 0, count: 10) + [0xFF, 0xFF, 192, 0, 2, 9]
        let content = source + [UInt8](repeating: 0, count: 20)
        #expect(Self.verdict(Self.binary(0x21, 0x21, length: 36, content)) == .header("192.0.2.9", consumed: 52))
    }
}
