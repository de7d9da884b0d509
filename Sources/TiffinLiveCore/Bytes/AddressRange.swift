/// A block of addresses in CIDR notation (RFC 4632 §3.1, RFC 4291 §2.3), or a single address. Bits behind the prefix
/// length are ignored.
struct AddressRange: Equatable, Sendable {
    private let base: IPAddress
    private let highMask: UInt64
    private let lowMask: UInt64
    private let isVersion4: Bool

    /// `10.0.0.0/8`, `2001:db8::/32`, `192.0.2.7`; nil when it is none of these.
    init?(_ text: String) {
        let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let first = parts.first, let address = IPAddress(String(first)) else { return nil }
        let longest = address.isVersion4 ? 32 : 128
        var length = longest
        if parts.count == 2 {
            // Digits only: the initializer of Int would also take a sign.
            guard parts[1].utf8.allSatisfy(ASCII.isDigit), let number = Int(parts[1]), number <= longest else {
                return nil
            }
            length = number
        }
        if address.isVersion4 { length += 96 }
        isVersion4 = address.isVersion4
        // A shift by the full width gives zero for Swift's smart shifts, as wanted here.
        highMask = length >= 64 ? .max : ~(UInt64.max >> UInt64(length))
        lowMask = length <= 64 ? 0 : ~(UInt64.max >> UInt64(length - 64))
        base = IPAddress(high: address.high & highMask, low: address.low & lowMask)
    }

    /// IPv4 addresses are in IPv4 ranges only: `::/0` does not name them.
    func contains(_ address: IPAddress) -> Bool {
        address.isVersion4 == isVersion4
            && address.high & highMask == base.high && address.low & lowMask == base.low
    }
}
