import Testing

@testable import TiffinLiveCore

@Suite("Socket address")
struct SocketAddressTests {
    @Test(
        "the text forms are read and written",
        arguments: [
            ("127.0.0.1:8080", SocketAddress.ipv4(0x7F00_0001, port: 8080)),
            ("0.0.0.0:0", .ipv4(0, port: 0)),
            ("255.255.255.255:65535", .ipv4(.max, port: 65_535)),
            ("[::1]:443", .ipv6(0, 1, port: 443)),
            ("[::]:80", .ipv6(0, 0, port: 80)),
            ("[2001:db8::ff]:1", .ipv6(0x2001_0DB8_0000_0000, 0xFF, port: 1)),
            ("unix:/run/tiffin.sock", .unix(path: "/run/tiffin.sock")),
        ])
    func forms(text: String, address: SocketAddress) {
        #expect(SocketAddress(text) == address)
        #expect(address.description == text)
    }

    @Test(
        "anything else is refused",
        arguments: [
            "", ":", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:+1", "127.0.0.1:-1", "127.0.0.1: 1",
            "127.0.0.1:000080", "127.0.0:1", "localhost:80", "::1:80", "[::1]", "[::1:80", "::1]:80", "[127.0.0.1]:80",
            "[]:80", "unix:", "unix:/\0x", "unix:/" + String(repeating: "x", count: 107), "127.0.0.1:8٣",
        ])
    func refused(text: String) {
        #expect(SocketAddress(text) == nil)
    }

    @Test("the longest path of a Unix socket is taken whole")
    func longestPath() {
        let path = "/" + String(repeating: "x", count: 106)
        let address = SocketAddress("unix:" + path)
        #expect(address == .unix(path: path))
    }

    @Test(
        "the kernel's form goes there and back",
        arguments: [
            SocketAddress.ipv4(0x0102_0304, port: 5), .ipv6(0x0102_0304_0506_0708, 0x090A_0B0C_0D0E_0F10, port: 65_535),
            .unix(path: "/a"), .unix(path: ""),
        ])
    func kernelForm(address: SocketAddress) {
        let back = address.withSocketAddress { pointer, length in
            SocketAddress(UnsafeRawBufferPointer(start: pointer, count: Int(length)))
        }
        #expect(back == address)
    }

    @Test("a family that is not ours, or a form cut short, is no address")
    func unknownFamily() {
        for bytes in [[], [2], [2, 0], [10, 0, 0, 0], [99, 0] + [UInt8](repeating: 0, count: 30)] as [[UInt8]] {
            #expect(bytes.withUnsafeBytes { SocketAddress($0) } == nil)
        }
    }

    @Test("the address without the port, the same for an IPv4 peer of an IPv6 listener")
    func ipAddress() {
        #expect(SocketAddress.ipv4(0x7F00_0001, port: 1).ipAddress == IPAddress("127.0.0.1"))
        #expect(SocketAddress.ipv6(0, 0xFFFF_7F00_0001, port: 1).ipAddress == IPAddress("127.0.0.1"))
        #expect(SocketAddress.ipv6(0, 1, port: 1).ipAddress == IPAddress("::1"))
        #expect(SocketAddress.unix(path: "/a").ipAddress == nil)
        #expect(SocketAddress.unix(path: "/a").port == nil)
        #expect(SocketAddress.ipv6(0, 1, port: 9).port == 9)
    }
}
