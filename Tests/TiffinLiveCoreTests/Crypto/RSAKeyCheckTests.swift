import Testing

@testable import TiffinLiveCore

@Suite("RFC 8725 §3.5: RSA keys that may verify")
struct RSAKeyCheckTests {
    /// 65537 to the given power, big-endian. Modulo every small prime it is a power of 65537, which is the mark that
    /// the faulty library of CVE-2017-15361 left in its moduli.
    private static func power(_ exponent: Int) -> [UInt8] {
        var digits: [UInt8] = [1]
        for _ in 0..<exponent {
            // n × 65537 = n × 65536 + n.
            var product = digits + [0, 0]
            var carry = 0
            for index in 0..<product.count {
                let place = product.count - 1 - index
                let added = index < digits.count ? Int(digits[digits.count - 1 - index]) : 0
                let sum = Int(product[place]) + added + carry
                product[place] = UInt8(truncatingIfNeeded: sum)
                carry = sum >> 8
            }
            digits = carry > 0 ? [UInt8(carry)] + product : product
        }
        return digits
    }

    private static func problem(_ modulus: [UInt8], _ exponent: [UInt8] = [1, 0, 1]) -> KeyError? {
        do {
            try RSAKeyCheck.check(modulus: BigNumber(modulus), exponent: BigNumber(exponent))
            return nil
        } catch {
            return error
        }
    }

    /// An odd number of exactly `bits` bits that bears no mark.
    private static func modulus(bits: Int) -> [UInt8] {
        let count = (bits + 7) / 8
        var bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0 * 151 + 17) }
        let top = UInt8(truncatingIfNeeded: (bits - 1) % 8)
        bytes[0] = 1 << top
        bytes[count - 1] |= 1
        return bytes
    }

    @Test(
        "2048 to 8192 bits, both ends included",
        arguments: [
            (2047, KeyError.tooShort), (2048, nil), (2049, nil), (3072, nil), (4096, nil), (8191, nil), (8192, nil),
            (8193, .tooLong), (16_000, .tooLong), (1, .tooShort), (1024, .tooShort), (2040, .tooShort),
        ] as [(Int, KeyError?)])
    func size(_ bits: Int, _ expected: KeyError?) {
        let count = BigNumber(Self.modulus(bits: bits)).bitCount
        #expect(count == bits)
        #expect(Self.problem(Self.modulus(bits: bits)) == expected)
    }

    @Test("a modulus that bears the mark of ROCA is refused", arguments: [128, 129, 150, 200, 256, 511])
    func roca(_ exponent: Int) {
        let marked = Self.power(exponent)
        #expect(Self.problem(marked) == .roca)
        #expect(throws: KeyError.roca) { try PublicKey.rsa(modulus: marked, exponent: [1, 0, 1]) }
    }

    @Test("one step beside it is none", arguments: [128, 200, 511])
    func notRoca(_ exponent: Int) {
        var beside = Self.power(exponent)
        beside[beside.count - 1] ^= 2
        #expect(Self.problem(beside) == nil)
        beside = Self.power(exponent)
        beside[beside.count / 2] ^= 0x40
        #expect(Self.problem(beside) == nil)
    }

    @Test("new keys of libcrypto pass")
    func generated() throws {
        guard case .rsa(let numbers)? = try PrivateKey.generate(for: .RS256).components() else {
            Issue.record("no RSA key")
            return
        }
        #expect(numbers.count == 8)
        #expect(Self.problem(numbers[0], numbers[1]) == nil)
        #expect(numbers[1] == [1, 0, 1])
        #expect(numbers[0].count == 256)
    }

    @Test(
        "the exponent is odd, over 1 and of at most 64 bits",
        arguments: [
            ([], .exponent), ([0], .exponent), ([1], .exponent), ([0, 0, 1], .exponent), ([2], .exponent),
            ([3], nil), ([0, 0, 3], nil), ([5], nil), ([17], nil), ([1, 0, 1], nil), ([1, 0, 0], .exponent),
            ([UInt8](repeating: 0xFF, count: 8), nil), ([1] + [UInt8](repeating: 0, count: 7) + [1], .exponent),
            ([0x80, 0, 0, 0, 0, 0, 0, 1], nil), ([0] + [UInt8](repeating: 0xFF, count: 8), nil),
            ([UInt8](repeating: 0xFF, count: 9), .exponent), ([UInt8](repeating: 1, count: 2049), .exponent),
        ] as [([UInt8], KeyError?)])
    func exponent(_ exponent: [UInt8], _ expected: KeyError?) {
        #expect(Self.problem(Self.modulus(bits: 2048), exponent) == expected)
    }

    @Test("the size is judged before the rest, an even modulus before its exponent")
    func order() {
        var even = Self.modulus(bits: 2048)
        even[255] &= 0xFE
        #expect(Self.problem(even) == .modulus)
        #expect(Self.problem(even, [2]) == .modulus)
        #expect(Self.problem(Array(even.dropFirst(1)), [2]) == .tooShort)
    }
}

@Suite("Numbers of keys")
struct BigNumberTests {
    @Test(
        "the bits are counted from the first that is set",
        arguments: [
            ([], 0), ([0], 0), ([0, 0, 0], 0), ([1], 1), ([2], 2), ([3], 2), ([0x80], 8), ([0xFF], 8), ([1, 0], 9),
            ([0, 1, 0], 9), ([0x7F, 0xFF], 15), ([UInt8](repeating: 0xFF, count: 2048), 16_384),
        ] as [([UInt8], Int)])
    func bitCount(_ bytes: [UInt8], _ bits: Int) {
        let counted = BigNumber(bytes).bitCount
        #expect(counted == bits)
    }

    @Test("2048 bytes are a number, one more is none")
    func limit() {
        let longest = BigNumber([UInt8](repeating: 1, count: 2048))
        let isNumber = longest.pointer != nil
        #expect(isNumber)
        let longer = BigNumber([UInt8](repeating: 1, count: 2049))
        let (bits, isOdd, bytes, remainder) = (
            longer.bitCount, longer.isOdd, longer.bytes(), longer.remainder(by: 3)
        )
        #expect(bits == 0)
        #expect(!isOdd)
        #expect(bytes == nil)
        #expect(remainder == nil)
    }

    @Test(
        "odd and even",
        arguments: [([], false), ([0], false), ([1], true), ([1, 0], false), ([2, 1], true)] as [([UInt8], Bool)])
    func parity(_ bytes: [UInt8], _ isOdd: Bool) {
        let parity = BigNumber(bytes).isOdd
        #expect(parity == isOdd)
    }

    @Test(
        "bytes come back without leading zeros or padded to a size, and never cut",
        arguments: [
            ([0, 0, 1, 2], nil, [1, 2]), ([], nil, []), ([0], nil, []), ([1, 2], 4, [0, 0, 1, 2]),
            ([1, 2], 2, [1, 2]),
            ([1, 2], 1, nil), ([0, 0, 2], 1, [2]), ([], 2, [0, 0]),
        ] as [([UInt8], Int?, [UInt8]?)])
    func bytes(_ number: [UInt8], _ size: Int?, _ expected: [UInt8]?) {
        let bytes = BigNumber(number).bytes(paddedTo: size)
        #expect(bytes == expected)
    }

    @Test(
        "the remainder by a small number",
        arguments: [
            (2, 1),
            (11, 5),
            (13, 9),
            (256, 1),
            (257, 0),
            (65535, 514),
            (66049, 0),
            (1000000, 66049),
        ] as [(UInt, UInt)])
    func remainders(_ divisor: UInt, _ expected: UInt) {
        let remainder = BigNumber([1, 2, 1]).remainder(by: divisor)
        #expect(remainder == expected)
        let padded = BigNumber([0, 1, 2, 1]).remainder(by: divisor)
        #expect(padded == expected)
    }
}
