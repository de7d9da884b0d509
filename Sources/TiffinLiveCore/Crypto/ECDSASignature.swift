/// The two forms of an ECDSA signature: JOSE's r‖s of fixed length (RFC 7518 §3.4) and the DER that libcrypto takes
/// (RFC 3279 §2.2.3). Encoding only; whether r and s are in range is for the verification.
enum ECDSASignature {
    /// The DER form, or nil when `raw` is not exactly two coordinates long.
    static func der(fromRaw raw: UnsafeRawBufferPointer, curve: EllipticCurve) -> [UInt8]? {
        let size = curve.coordinateSize
        guard raw.count == 2 * size else { return nil }
        let r = content(of: raw, 0..<size)
        let s = content(of: raw, size..<2 * size)
        let bodySize = r.size + s.size + 4
        var der: [UInt8] = []
        der.reserveCapacity(bodySize + 3)
        der.append(0x30)
        // At most 2 × (66 + 3) bytes: one length byte, or two from 128 on.
        if bodySize > 0x7F { der.append(0x81) }
        der.append(UInt8(truncatingIfNeeded: bodySize))
        for part in [r, s] {
            der.append(0x02)
            der.append(UInt8(truncatingIfNeeded: part.size))
            if part.isPadded { der.append(0) }
            der.append(contentsOf: raw[part.range])
        }
        return der
    }

    private struct Integer {
        let range: Range<Int>
        /// A zero goes in front of a first byte that would make the number negative.
        let isPadded: Bool
        var size: Int { range.count + (isPadded ? 1 : 0) }
    }

    /// The number in `range` without its leading zeros, but never empty.
    private static func content(of raw: UnsafeRawBufferPointer, _ range: Range<Int>) -> Integer {
        var first = range.lowerBound
        while first < range.upperBound - 1, raw[first] == 0 { first += 1 }
        return Integer(range: first..<range.upperBound, isPadded: raw[first] & 0x80 != 0)
    }
}
