/// The address of the client behind balancers that are trusted to tell it (RFC 7239 §8.1).
///
/// Each hop appends the address it saw, so the list is believed from its right end, for as long as the addresses are
/// those of trusted hops: the first other one is the client. Everything to the left of it was written by the client
/// and says nothing. A list that cannot be read says nothing either: the peer then counts as the client.
enum ForwardedFor {
    static func client(
        peer: IPAddress, fields: HTTPFields, header: ForwardedHeader?, trusted: [AddressRange]
    ) -> IPAddress {
        guard let header, trusted.contains(where: { $0.contains(peer) }) else { return peer }
        var chain = Chain(peer: peer, trusted: trusted)
        switch header {
        case .xForwardedFor:
            fields.forEachValue(of: "x-forwarded-for") { value in
                FieldList.forEachElement(of: value) { chain.append(Self.readNode($0)) }
            }
        case .forwarded:
            fields.forEachValue(of: "forwarded") { value in
                ForwardedElements.forEachNode(of: value) { node in
                    chain.append(node.flatMap { text in text.withUnsafeBytes { Self.readNode($0) } })
                }
            }
        }
        return chain.client
    }

    /// An address with or without a port; IPv6 in brackets when there is a port. `unknown` and obfuscated names are
    /// no addresses.
    static func readNode(_ text: UnsafeRawBufferPointer) -> IPAddress? {
        if text.first == ASCII.leftBracket {
            guard let close = text.firstIndex(of: ASCII.rightBracket) else { return nil }
            guard close + 1 == text.count || isPort(text[(close + 1)...]) else { return nil }
            return IPAddress(version6: UnsafeRawBufferPointer(rebasing: text[1..<close]))
        }
        if let colon = text.firstIndex(of: ASCII.colon), text.lastIndex(of: ASCII.colon) == colon {
            guard isPort(text[colon...]) else { return nil }
            return IPAddress(UnsafeRawBufferPointer(rebasing: text[..<colon]))
        }
        return IPAddress(text)
    }

    private static func isPort(_ text: Slice<UnsafeRawBufferPointer>) -> Bool {
        text.first == ASCII.colon && (2...6).contains(text.count) && text.dropFirst().allSatisfy(ASCII.isDigit)
    }

    /// Folds the list from the left into what reading it from the right would find, without keeping it.
    private struct Chain {
        let peer: IPAddress
        let trusted: [AddressRange]
        private(set) var client: IPAddress
        private var isEmpty = true

        init(peer: IPAddress, trusted: [AddressRange]) {
            self.peer = peer
            self.trusted = trusted
            client = peer
        }

        /// Nil: an element that is no address.
        mutating func append(_ address: IPAddress?) {
            defer { isEmpty = false }
            guard let address else {
                client = peer
                return
            }
            if isEmpty || !trusted.contains(where: { $0.contains(address) }) { client = address }
        }
    }
}
