/// Reads the one PROXY header at the start of a connection, however it is split. Whether the peer may send one is for
/// the caller to know. Keeps 107 bytes at most; TLVs are counted past, not kept. A byte that neither version can have
/// ends it at once.
struct ProxyHeaderDecoder {
    private enum State {
        case collecting
        case skipping(Int, ProxyHeader)
    }

    private static let signature2: [UInt8] = [13, 10, 13, 10, 0, 13, 10, 0x51, 0x55, 0x49, 0x54, 10]
    private static let signature1 = Array("PROXY ".utf8)
    /// Of a version 1 line with its end (§2.1).
    private static let longestLine = 107
    /// Signature, version and command, family, length (§2.2).
    private static let fixedLength = 16

    private var state = State.collecting
    private var head: [UInt8] = []

    /// Takes the next bytes of the connection and gives the header once it is whole. `consumed` is set to how many of
    /// `bytes` belong to it.
    mutating func receive(
        _ bytes: UnsafeRawBufferPointer, consumed: inout Int
    ) throws(ProxyHeaderError) -> ProxyHeader? {
        consumed = 0
        while consumed < bytes.count {
            if case .skipping(let count, let header) = state {
                let skipped = min(count, bytes.count - consumed)
                consumed += skipped
                if skipped == count { return header }
                state = .skipping(count - skipped, header)
                return nil
            }
            head.append(bytes[consumed])
            consumed += 1
            if let header = try readCollected() { return header }
        }
        return nil
    }

    private mutating func readCollected() throws(ProxyHeaderError) -> ProxyHeader? {
        if head[0] == Self.signature1[0] { return try readLine() }
        let compared = min(head.count, Self.signature2.count)
        guard head[compared - 1] == Self.signature2[compared - 1] else { throw .missing }
        return try readBinary()
    }

    private mutating func readBinary() throws(ProxyHeaderError) -> ProxyHeader? {
        guard head.count >= Self.fixedLength else { return nil }
        let command = head[12]
        guard command == 0x20 || command == 0x21 else { throw .malformed }
        let length = Int(head[14]) << 8 | Int(head[15])
        // Addresses are looked at only where a proxied connection has IP addresses (over TCP or UDP).
        let addresses =
            switch (command, head[13]) {
            case (0x21, 0x11), (0x21, 0x12): 12
            case (0x21, 0x21), (0x21, 0x22): 36
            default: 0
            }
        guard length >= addresses else { throw .malformed }
        guard head.count >= Self.fixedLength + addresses else { return nil }
        let header = ProxyHeader(source: addresses == 0 ? nil : source(isVersion6: addresses == 36))
        guard length > addresses else { return header }
        state = .skipping(length - addresses, header)
        return nil
    }

    private func source(isVersion6: Bool) -> IPAddress {
        let bytes = head[Self.fixedLength..<(Self.fixedLength + (isVersion6 ? 16 : 4))]
        let high = bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard isVersion6 else { return IPAddress(version4: UInt32(truncatingIfNeeded: high)) }
        return IPAddress(high: high, low: bytes.suffix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }

    private func readLine() throws(ProxyHeaderError) -> ProxyHeader? {
        if head.count <= Self.signature1.count {
            guard head[head.count - 1] == Self.signature1[head.count - 1] else { throw .missing }
        }
        guard head[head.count - 1] == ASCII.lineFeed else {
            guard head.count < Self.longestLine else { throw .malformed }
            return nil
        }
        guard head[head.count - 2] == ASCII.carriageReturn else { throw .malformed }
        let words = head.dropLast(2).split(separator: ASCII.space, omittingEmptySubsequences: false)
        if words[1].elementsEqual("UNKNOWN".utf8) { return ProxyHeader(source: nil) }
        guard words.count == 6, let source = Self.address(words[2]), let destination = Self.address(words[3]),
            Self.isPort(words[4]), Self.isPort(words[5])
        else { throw .malformed }
        let isVersion4 = words[1].elementsEqual("TCP4".utf8)
        guard isVersion4 || words[1].elementsEqual("TCP6".utf8) else { throw .malformed }
        // Mapped IPv4 addresses may come as TCP6.
        guard !isVersion4 || source.isVersion4 && destination.isVersion4 else { throw .malformed }
        return ProxyHeader(source: source)
    }

    private static func address(_ text: ArraySlice<UInt8>) -> IPAddress? {
        text.withUnsafeBytes { IPAddress($0) }
    }

    private static func isPort(_ text: ArraySlice<UInt8>) -> Bool {
        (1...5).contains(text.count) && text.allSatisfy(ASCII.isDigit)
            && text.reduce(0) { $0 * 10 + Int($1 - ASCII.zero) } <= 65_535
    }
}
