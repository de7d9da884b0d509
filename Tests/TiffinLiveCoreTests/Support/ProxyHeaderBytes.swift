/// PROXY headers as balancers write them ("The PROXY protocol" §2.1, §2.2).
enum ProxyHeaderBytes {
    static let signature: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]

    /// Version 1, for an IPv4 or IPv6 client.
    static func line(from client: String) -> [UInt8] {
        let isVersion6 = client.utf8.contains(UInt8(ascii: ":"))
        let family = isVersion6 ? "TCP6" : "TCP4"
        return Array("PROXY \(family) \(client) \(isVersion6 ? "fd00::2" : "10.0.0.2") 49152 8080\r\n".utf8)
    }

    /// Version 2, for an IPv4 client; `extra` are TLVs.
    static func binary(from client: [UInt8], extra: [UInt8] = []) -> [UInt8] {
        binary(command: 0x21, family: 0x11, client + [10, 0, 0, 2, 0xC0, 0, 0x1F, 0x90] + extra)
    }

    /// The balancer's own connection, which says nothing of a client even where addresses stand in it.
    static let local = binary(
        command: 0x20, family: 0x11, [10, 0, 0, 1, 10, 0, 0, 2, 0xC0, 0, 0x1F, 0x90])

    static func binary(command: UInt8, family: UInt8, _ content: [UInt8]) -> [UInt8] {
        signature + [command, family, UInt8(content.count >> 8), UInt8(content.count & 255)] + content
    }
}
