import Testing

@testable import TiffinLiveCore

@Suite("The PROXY protocol, versions 1 and 2")
struct ProxyHeaderDecoderTests {
    private struct Outcome: Equatable {
        var header: ProxyHeader?
        var error: ProxyHeaderError?
        var rest: [UInt8] = []
        var source: String? { header?.source?.description }
    }

    private func read(_ bytes: [UInt8]) -> Outcome {
        ChunkedFeed.check(bytes) { chunks in
            var decoder = ProxyHeaderDecoder()
            var outcome = Outcome()
            for chunk in chunks where outcome.error == nil {
                guard outcome.header == nil else {
                    outcome.rest += chunk
                    continue
                }
                let buffer = ByteBuffer()
                buffer.append(chunk)
                var consumed = 0
                do throws(ProxyHeaderError) {
                    outcome.header = try decoder.receive(buffer.bytes, consumed: &consumed)
                    outcome.rest += chunk.dropFirst(consumed)
                } catch {
                    outcome.error = error
                }
            }
            return outcome
        }
    }

    private let request = Array("GET / HTTP/1.1\r\n".utf8)
    private static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
    private static let ipv4: [UInt8] = [198, 51, 100, 7, 10, 0, 0, 2, 0xC0, 0, 0x1F, 0x90]
    private static let ipv6: [UInt8] =
        [0x20, 1, 0x0D, 0xB8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 9] + [UInt8](repeating: 0, count: 16) + [1, 2, 3, 4]

    private func binary(_ command: UInt8, _ family: UInt8, _ content: [UInt8]) -> [UInt8] {
        Self.signature + [command, family, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
    }

    @Test(
        "version 1 names the client, and what follows is left",
        arguments: [
            ("PROXY TCP4 198.51.100.7 10.0.0.2 49152 8080\r\n", "198.51.100.7"),
            ("PROXY TCP6 2001:db8::9 fd00::2 1 65535\r\n", "2001:db8::9"),
            ("PROXY TCP6 ::ffff:198.51.100.7 ::ffff:10.0.0.2 1 2\r\n", "198.51.100.7"),
            ("PROXY UNKNOWN\r\n", nil), ("PROXY UNKNOWN a b c d e\r\n", nil),
        ] as [(String, String?)])
    func version1(_ line: String, _ source: String?) {
        let outcome = read(Array(line.utf8) + request)
        #expect(outcome.header != nil && outcome.error == nil)
        #expect(outcome.source == source)
        #expect(outcome.rest == request)
    }

    @Test(
        "a malformed version 1 line is refused",
        arguments: [
            "PROXY \r\n", "PROXY\r\n", "PROXY TCP4 198.51.100.7 10.0.0.2 49152 8080\n", "PROXY TCP4 198.51.100.7\r\n",
            "PROXY TCP4 2001:db8::9 fd00::2 1 2\r\n", "PROXY TCP4  198.51.100.7 10.0.0.2 1 2\r\n",
            "PROXY TCP4 198.51.100.7 10.0.0.2 1 65536\r\n", "PROXY TCP4 198.51.100.7 10.0.0.2 1 -2\r\n",
            "PROXY TCP4 198.51.100.7 10.0.0.2 1 2 \r\n", "PROXY UDP4 198.51.100.7 10.0.0.2 1 2\r\n",
            "PROXY tcp4 198.51.100.7 10.0.0.2 1 2\r\n", "PROXY UNKNOWN \(String(repeating: "a", count: 100))\r\n",
            "PROXY TCP4 198.51.100.7 10.0.0.2 1 99999999999999999999\r\n", "PROXY \n",
        ])
    func malformedLine(_ line: String) {
        #expect(read(Array(line.utf8)).error != nil)
    }

    @Test("version 2 names the client over IPv4 and IPv6, with and without TLVs")
    func version2() {
        let tlv: [UInt8] = [0xEA, 0, 3, 1, 2, 3]
        #expect(read(binary(0x21, 0x11, Self.ipv4) + request) == read(binary(0x21, 0x11, Self.ipv4 + tlv) + request))
        #expect(read(binary(0x21, 0x11, Self.ipv4 + tlv) + request).source == "198.51.100.7")
        #expect(read(binary(0x21, 0x21, Self.ipv6) + request).source == "2001:db8::9")
        #expect(read(binary(0x21, 0x21, Self.ipv6 + tlv) + request).source == "2001:db8::9")
        #expect(read(binary(0x21, 0x21, Self.ipv6 + tlv) + request).rest == request)
    }

    @Test("LOCAL and families without IP addresses are skipped whole, and the peer counts")
    func noSource() {
        for bytes in [
            binary(0x20, 0x11, Self.ipv4), binary(0x20, 0x00, []), binary(0x21, 0x00, [1, 2, 3]),
            binary(0x21, 0x31, [UInt8](repeating: 0, count: 216)),
        ] {
            let outcome = read(bytes + request)
            #expect(outcome == Outcome(header: ProxyHeader(source: nil), rest: request))
        }
    }

    @Test("the longest header is counted past without being kept")
    func longest() {
        let content = Self.ipv4 + [UInt8](repeating: 0, count: 65_535 - Self.ipv4.count)
        let outcome = read(binary(0x21, 0x11, content) + request)
        #expect(outcome.source == "198.51.100.7")
        #expect(outcome.rest == request)
    }

    @Test("a malformed version 2 header is refused")
    func malformedBinary() {
        #expect(read(binary(0x21, 0x11, Array(Self.ipv4.dropLast()))).error == .malformed)
        #expect(read(binary(0x21, 0x21, Self.ipv4)).error == .malformed)
        #expect(read(binary(0x11, 0x11, Self.ipv4)).error == .malformed)
        #expect(read(binary(0x22, 0x11, Self.ipv4)).error == .malformed)
    }

    @Test("a connection that begins otherwise is refused at the first wrong byte")
    func missing() {
        #expect(read(request).error == .missing)
        #expect(read(Array("POST".utf8)).error == .missing)
        #expect(read([13, 10, 71]).error == .missing)
        #expect(read([0x16]).error == .missing)
        #expect(read(Array("PROX".utf8)) == Outcome())
        #expect(read(Self.signature) == Outcome())
    }
}
