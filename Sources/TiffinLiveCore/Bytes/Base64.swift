/// RFC 4648 base64: the URL-safe alphabet of JOSE (section 5, without padding) both ways, and the standard one
/// (section 4, with padding) for writing Sec-WebSocket-Accept.
///
/// Decoding is strict, because a token must have one spelling only: no padding, no white space, no `+` or `/`, no
/// length of 1 modulo 4, and the unused bits of the last character are zero.
package enum Base64 {
    private static let urlAlphabet: StaticString = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    private static let standardAlphabet: StaticString =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"

    /// Marks a byte outside the alphabet; no sextet has this bit.
    private static let invalid: UInt8 = 0x80

    private static let sextets: [UInt8] = {
        var table = [UInt8](repeating: invalid, count: 256)
        for value in 0..<64 { table[Int(urlAlphabet.utf8Start[value])] = UInt8(truncatingIfNeeded: value) }
        return table
    }()

    /// The bytes that unpadded base64url text stands for, or nil when it is not in its one correct spelling.
    static func decodeURL(_ text: UnsafeRawBufferPointer) -> [UInt8]? {
        let tail = text.count % 4
        guard tail != 1 else { return nil }
        let size = text.count / 4 * 3 + (tail == 0 ? 0 : tail - 1)
        var isValid = true
        let decoded = [UInt8](unsafeUninitializedCapacity: size) { output, count in
            isValid = sextets.withUnsafeBufferPointer { decode(text, table: $0, into: output) }
            count = isValid ? size : 0
        }
        return isValid ? decoded : nil
    }

    private static func decode(
        _ text: UnsafeRawBufferPointer, table: UnsafeBufferPointer<UInt8>,
        into output: UnsafeMutableBufferPointer<UInt8>
    ) -> Bool {
        var seen: UInt8 = 0
        var source = 0
        var target = 0
        while text.count - source >= 4 {
            let first = table[Int(text[source])]
            let second = table[Int(text[source + 1])]
            let third = table[Int(text[source + 2])]
            let fourth = table[Int(text[source + 3])]
            seen |= first | second | third | fourth
            output[target] = first << 2 | second >> 4
            output[target + 1] = second << 4 | third >> 2
            output[target + 2] = third << 6 | fourth
            source += 4
            target += 3
        }
        guard source < text.count else { return seen & invalid == 0 }
        let first = table[Int(text[source])]
        let second = table[Int(text[source + 1])]
        seen |= first | second
        output[target] = first << 2 | second >> 4
        var stray = second & 0x0F
        if text.count - source == 3 {
            let third = table[Int(text[source + 2])]
            seen |= third
            output[target + 1] = second << 4 | third >> 2
            stray = third & 0x03
        }
        return seen & invalid == 0 && stray == 0
    }

    /// `bytes` in base64url without padding.
    package static func encodeURL(_ bytes: [UInt8]) -> String {
        let size = (bytes.count * 4 + 2) / 3
        return String(unsafeUninitializedCapacity: size) { output in
            guard let base = output.baseAddress else { return 0 }
            return bytes.withUnsafeBytes { encode($0, alphabet: urlAlphabet.utf8Start, into: base) }
        }
    }

    /// Appends `bytes` in standard base64, padded to a multiple of four characters.
    static func append(standard bytes: UnsafeRawBufferPointer, to buffer: ByteBuffer) {
        // The buffer gives no room to write into, so blocks of 48 bytes go through 64 on the stack.
        withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 64) { block in
            guard let base = block.baseAddress else { return }
            var offset = 0
            while offset < bytes.count {
                let end = min(offset + 48, bytes.count)
                let part = UnsafeRawBufferPointer(rebasing: bytes[offset..<end])
                var written = encode(part, alphabet: standardAlphabet.utf8Start, into: base)
                while written % 4 != 0 {
                    base[written] = ASCII.equals
                    written += 1
                }
                buffer.append(UnsafeRawBufferPointer(start: base, count: written))
                offset = end
            }
        }
    }

    private static func encode(
        _ bytes: UnsafeRawBufferPointer, alphabet: UnsafePointer<UInt8>, into output: UnsafeMutablePointer<UInt8>
    ) -> Int {
        var source = 0
        var target = 0
        while bytes.count - source >= 3 {
            let group = UInt32(bytes[source]) << 16 | UInt32(bytes[source + 1]) << 8 | UInt32(bytes[source + 2])
            output[target] = alphabet[Int(group >> 18)]
            output[target + 1] = alphabet[Int(group >> 12 & 63)]
            output[target + 2] = alphabet[Int(group >> 6 & 63)]
            output[target + 3] = alphabet[Int(group & 63)]
            source += 3
            target += 4
        }
        let tail = bytes.count - source
        guard tail > 0 else { return target }
        let group = UInt32(bytes[source]) << 16 | (tail == 2 ? UInt32(bytes[source + 1]) << 8 : 0)
        output[target] = alphabet[Int(group >> 18)]
        output[target + 1] = alphabet[Int(group >> 12 & 63)]
        guard tail == 2 else { return target + 2 }
        output[target + 2] = alphabet[Int(group >> 6 & 63)]
        return target + 3
    }
}
