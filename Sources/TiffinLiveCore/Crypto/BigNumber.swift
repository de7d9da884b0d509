internal import COpenSSL

/// An unsigned big number of libcrypto, wiped when it goes away: a modulus, an exponent, a private scalar.
struct BigNumber: ~Copyable {
    /// `BIGNUM`; nil only when memory is short or `bytes` was longer than any key.
    let pointer: OpaquePointer?

    /// Reads big-endian bytes; leading zeros do not matter.
    init(_ bytes: [UInt8]) {
        // Twice the longest RSA modulus that is read; longer input is no number of a key.
        pointer = bytes.count <= 2048 ? BN_bin2bn(bytes, Int32(bytes.count), nil) : nil
    }

    /// Takes over a `BIGNUM` that libcrypto made.
    init(adopting pointer: OpaquePointer?) {
        self.pointer = pointer
    }

    deinit {
        BN_clear_free(pointer)
    }

    var bitCount: Int { pointer.map { Int(BN_num_bits($0)) } ?? 0 }

    var isOdd: Bool { pointer.map { BN_is_odd($0) == 1 } ?? false }

    /// Big-endian without leading zeros, or padded at the front to `size`.
    func bytes(paddedTo size: Int? = nil) -> [UInt8]? {
        guard let pointer else { return nil }
        let length = size ?? (bitCount + 7) / 8
        var result = [UInt8](repeating: 0, count: length)
        return BN_bn2binpad(pointer, &result, Int32(length)) == Int32(length) ? result : nil
    }

    /// The remainder by a small number; nil when there is no number.
    func remainder(by divisor: UInt) -> UInt? {
        guard let pointer else { return nil }
        let remainder = BN_mod_word(pointer, divisor)
        return remainder == .max ? nil : remainder
    }
}
