/// What an RSA public key must fulfil before it may verify anything (RFC 7518 §3.3, RFC 8725 §3.5).
enum RSAKeyCheck {
    static let bitRange = 2048...8192

    static func check(modulus: borrowing BigNumber, exponent: borrowing BigNumber) throws(KeyError) {
        if modulus.bitCount < bitRange.lowerBound { throw .tooShort }
        if modulus.bitCount > bitRange.upperBound { throw .tooLong }
        if !modulus.isOdd { throw .modulus }
        // 1 would make every message its own signature. Above 64 bits libcrypto refuses to work with it.
        if !exponent.isOdd || exponent.bitCount < 2 || exponent.bitCount > 64 { throw .exponent }
        if hasROCAFingerprint(modulus) { throw .roca }
    }

    /// CVE-2017-15361: the faulty library made primes that are powers of 65537 modulo many small primes, and so is
    /// their product. A sound modulus passes all of these tests once in 2^27.
    private static func hasROCAFingerprint(_ modulus: borrowing BigNumber) -> Bool {
        let primes: [UInt] = [11, 13, 17, 19, 37, 53, 61, 71, 73, 79, 97, 103, 107, 109, 127, 151, 157]
        for prime in primes {
            guard let remainder = modulus.remainder(by: prime) else { return false }
            var power: UInt = 1
            var isPower = false
            repeat {
                isPower = isPower || power == remainder
                power = power * 65537 % prime
            } while power != 1
            if !isPower { return false }
        }
        return true
    }
}
