import Testing

@testable import TiffinLiveCore

@Suite("Verdicts are remembered within bounds")
struct TokenCacheTests {
    static func digest(_ number: Int) -> SHA256Digest { Digest.sha256(Array("\(number)".utf8)) }

    @Test(
        "The capacity is rounded down to a power of two, but one set of eight is the least",
        arguments: [(0, 0), (-1, 0), (1, 8), (8, 8), (15, 8), (16, 16), (1000, 512), (65536, 65536)])
    func capacity(_ asked: Int, _ expected: Int) {
        #expect(TokenCache<Int>(capacity: asked).capacity == expected)
    }

    @Test("What was put in comes out until it is replaced or removed")
    func values() {
        var cache = TokenCache<Int>(capacity: 64)
        #expect(cache[Self.digest(1)] == nil)
        cache.insert(1, for: Self.digest(1), until: 100, wall: 0)
        cache.insert(2, for: Self.digest(2), until: 100, wall: 0)
        #expect(cache[Self.digest(1)] == 1)
        #expect(cache[Self.digest(2)] == 2)
        cache.insert(3, for: Self.digest(1), until: 100, wall: 0)
        #expect(cache[Self.digest(1)] == 3)
        #expect(cache.count == 2)
        cache.remove(Self.digest(1))
        cache.remove(Self.digest(9))
        #expect(cache[Self.digest(1)] == nil)
        #expect(cache.count == 1)
    }

    @Test("A hundred thousand tokens take no more room than the capacity")
    func bounded() {
        var cache = TokenCache<Int>(capacity: 256)
        for number in 0..<100_000 {
            cache.insert(number, for: Self.digest(number), until: 100, wall: 0)
            #expect(cache[Self.digest(number)] == number)
        }
        #expect(cache.count == 256)
    }

    @Test("Outlived entries make room before living ones do")
    func outlived() {
        var cache = TokenCache<Int>(capacity: 8)
        for number in 0..<4 { cache.insert(number, for: Self.digest(number), until: 1000, wall: 0) }
        for number in 4..<8 { cache.insert(number, for: Self.digest(number), until: 10, wall: 0) }
        for number in 8..<12 { cache.insert(number, for: Self.digest(number), until: 1000, wall: 10) }
        for number in 0..<4 { #expect(cache[Self.digest(number)] == number) }
        for number in 4..<8 { #expect(cache[Self.digest(number)] == nil) }
        #expect(cache.count == 8)
    }

    @Test("Nothing is kept that is dead already, or in a cache of no capacity")
    func notKept() {
        var cache = TokenCache<Int>(capacity: 8)
        cache.insert(1, for: Self.digest(1), until: 10, wall: 10)
        #expect(cache[Self.digest(1)] == nil)
        var none = TokenCache<Int>(capacity: 0)
        none.insert(1, for: Self.digest(1), until: 10, wall: 0)
        #expect(none[Self.digest(1)] == nil)
        none.remove(Self.digest(1))
        #expect(none.count == 0)
    }

    @Test("The same random run on a dictionary never contradicts the cache", arguments: [1, 2, 3] as [UInt64])
    func model(_ seed: UInt64) {
        var random = SeededRandom(seed: seed)
        var cache = TokenCache<Int>(capacity: 32)
        var model: [Int: Int] = [:]
        for step in 0..<5000 {
            let number = Int.random(in: 0..<60, using: &random)
            switch Int.random(in: 0..<4, using: &random) {
            case 0:
                cache.remove(Self.digest(number))
                model[number] = nil
            case 1:
                if let value = cache[Self.digest(number)] { #expect(value == model[number]) }
            default:
                cache.insert(step, for: Self.digest(number), until: 1_000_000, wall: 0)
                model[number] = step
            }
        }
        let found = (0..<60).filter { cache[Self.digest($0)] != nil }
        #expect(found.count == cache.count)
        for number in found { #expect(cache[Self.digest(number)] == model[number]) }
    }
}
