import Testing

@testable import TiffinLiveCore

@Suite("Random bytes")
struct SecureRandomTests {
    @Test(
        "come in exactly the length that was asked for", arguments: [0, 1, 2, 15, 16, 31, 32, 33, 255, 4096, 100_000])
    func length(_ count: Int) {
        #expect(SecureRandom.bytes(count).count == count)
    }

    @Test("every bit of every place is set about half of the time")
    func everyBit() {
        let rounds = 2000
        var ones = [Int](repeating: 0, count: 32 * 8)
        for _ in 0..<rounds {
            for (index, byte) in SecureRandom.bytes(32).enumerated() {
                for bit in 0..<8 where byte >> UInt8(bit) & 1 == 1 { ones[index * 8 + bit] += 1 }
            }
        }
        // Ten standard deviations (√2000 / 2 ≈ 22): a fair bit is outside once in 10^22 runs.
        for count in ones { #expect(abs(count - rounds / 2) < 224) }
    }

    @Test("a seed uses all of its 64 bits")
    func seeds() {
        var union: UInt64 = 0
        var intersection = UInt64.max
        for _ in 0..<200 {
            let seed = SecureRandom.seed()
            union |= seed
            intersection &= seed
        }
        #expect(union == .max)
        #expect(intersection == 0)
    }

    @Test("do not repeat, nor does one run hold a shifted part of the other")
    func noRepetition() {
        var seen: Set<[UInt8]> = []
        for _ in 0..<200 {
            let bytes = SecureRandom.bytes(64)
            for start in 0...56 { seen.insert(Array(bytes[start..<start + 8])) }
        }
        #expect(seen.count == 200 * 57)
    }
}
