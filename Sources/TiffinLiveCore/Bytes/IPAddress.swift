/// An IPv4 or IPv6 address, 16 bytes. IPv4 is held in its IPv4-mapped form (RFC 4291 §2.5.5.2), so that a client is
/// the same client whichever kind of socket it came in by. No zone: a link-local address is not told apart by link.
struct IPAddress: Hashable, Sendable, CustomStringConvertible {
    /// The first and the last eight bytes in network order.
    let high: UInt64
    let low: UInt64

    /// 127.0.0.1
    static let loopback = IPAddress(version4: 0x7F00_0001)

    private static let mappedPrefix: UInt64 = 0xFFFF_0000_0000

    init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }

    /// `address` in host order: 127.0.0.1 is 0x7F000001.
    init(version4 address: UInt32) {
        self.init(high: 0, low: Self.mappedPrefix | UInt64(address))
    }

    var isVersion4: Bool { high == 0 && low >> 32 == 0xFFFF }

    /// The four bytes of an IPv4 address in host order.
    var version4: UInt32? { isVersion4 ? UInt32(truncatingIfNeeded: low) : nil }

    /// What one subscriber line usually has to itself: the /64 of an IPv6 address, an IPv4 address whole.
    var network64: IPAddress { isVersion4 ? self : IPAddress(high: high, low: 0) }

    init?(_ text: String) {
        var text = text
        guard let address = text.withUTF8({ IPAddress(UnsafeRawBufferPointer($0)) }) else { return nil }
        self = address
    }

    /// Dotted decimal (no leading zeros, no short forms) or RFC 4291 §2.2 text; no brackets, no port, no zone.
    init?(_ text: UnsafeRawBufferPointer) {
        let address =
            text.contains(ASCII.colon)
            ? IPAddress(version6: text) : Self.readVersion4(text).map { IPAddress(version4: $0) }
        guard let address else { return nil }
        self = address
    }

    /// Eight groups of hexadecimal digits, of which one run may be `::` and the last two may be dotted decimal.
    init?(version6 text: UnsafeRawBufferPointer) {
        guard text.count >= 2, text.count <= 45 else { return nil }
        var groups = GroupList()
        var index = 0
        if text[0] == ASCII.colon {
            guard text[1] == ASCII.colon else { return nil }
            groups.gap = 0
            index = 2
        }
        while index < text.count {
            let start = index
            var group = 0
            while index < text.count, let digit = ASCII.hexValue(text[index]) {
                group = group << 4 | Int(digit)
                index += 1
                guard index - start <= 4 else { return nil }
            }
            if index < text.count, text[index] == ASCII.dot {
                guard let tail = Self.readVersion4(UnsafeRawBufferPointer(rebasing: text[start...])) else { return nil }
                guard groups.append(UInt16(tail >> 16)), groups.append(UInt16(tail & 0xFFFF)) else { return nil }
                index = text.count
                break
            }
            guard index > start, groups.append(UInt16(group)) else { return nil }
            guard index < text.count else { break }
            guard text[index] == ASCII.colon, index + 1 < text.count else { return nil }
            index += 1
            if text[index] == ASCII.colon {
                guard groups.gap == nil else { return nil }
                groups.gap = groups.count
                index += 1
            }
        }
        guard let words = groups.words else { return nil }
        self.init(high: words.high, low: words.low)
    }

    private static func readVersion4(_ text: UnsafeRawBufferPointer) -> UInt32? {
        guard text.count >= 7, text.count <= 15 else { return nil }
        var address: UInt32 = 0
        var octet: UInt32 = 0
        var digits = 0
        var dots = 0
        for byte in text {
            if byte == ASCII.dot {
                guard digits > 0, dots < 3 else { return nil }
                address = address << 8 | octet
                dots += 1
                digits = 0
                octet = 0
                continue
            }
            guard ASCII.isDigit(byte), !(digits > 0 && octet == 0) else { return nil }
            octet = octet * 10 + UInt32(byte - ASCII.zero)
            digits += 1
            guard octet <= 255 else { return nil }
        }
        guard dots == 3, digits > 0 else { return nil }
        return address << 8 | octet
    }

    /// The text of RFC 5952: lower case, no leading zeros, the longest run of zero groups as `::`.
    var description: String {
        if isVersion4 { return "\(low >> 24 & 255).\(low >> 16 & 255).\(low >> 8 & 255).\(low & 255)" }
        let groups = (0..<8).map { UInt16(truncatingIfNeeded: ($0 < 4 ? high : low) >> UInt64(48 - $0 % 4 * 16)) }
        var best = 0..<0
        var start = 0
        for index in 0...8 where index == 8 || groups[index] != 0 {
            if index - start > max(best.count, 1) { best = start..<index }
            start = index + 1
        }
        let text = { (range: Range<Int>) in
            groups[range].map { String($0, radix: 16) }.joined(separator: ":")
        }
        return best.isEmpty ? text(0..<8) : text(0..<best.lowerBound) + "::" + text(best.upperBound..<8)
    }
}

/// The groups of an IPv6 address while its text is read.
private struct GroupList {
    private(set) var count = 0
    /// How many groups stand before the `::`.
    var gap: Int?
    private var before: (high: UInt64, low: UInt64) = (0, 0)

    /// False when there is no room for it.
    mutating func append(_ group: UInt16) -> Bool {
        guard count < 8 else { return false }
        before = (before.high << 16 | before.low >> 48, before.low << 16 | UInt64(group))
        count += 1
        return true
    }

    /// The address with the gap filled, nil when groups are missing. A `::` stands for at least one group.
    var words: (high: UInt64, low: UInt64)? {
        guard let gap else { return count == 8 ? before : nil }
        guard count < 8 else { return nil }
        let tail = count - gap
        let all = UInt128(before.high) << 64 | UInt128(before.low)
        let mask = (UInt128(1) << UInt128(tail * 16)) - 1
        let front = tail == count ? 0 : (all & ~mask) << UInt128((8 - count) * 16)
        let address = front | all & mask
        return (UInt64(truncatingIfNeeded: address >> 64), UInt64(truncatingIfNeeded: address))
    }
}
