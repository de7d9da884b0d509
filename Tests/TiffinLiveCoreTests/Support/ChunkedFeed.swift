import Testing

@testable import TiffinLiveCore

/// Feeds the same bytes to a fresh decoder in many chunkings and checks that the outcome never differs: a network may
/// cut a stream anywhere.
///
/// Tried: whole, byte by byte, every split in two (every one up to 2 KiB, sampled above), and seeded random pieces, some
/// of them empty. The outcome of the whole feed is returned, so that a test goes on to expect something of it:
///
///     let outcome = ChunkedFeed.check(bytes) { chunks in
///         var decoder = Decoder()
///         …feed each chunk, collect what comes out and how it ended…
///     }
///     #expect(outcome == …)
enum ChunkedFeed {
    /// Inputs up to this length are split at every place.
    static let everySplitLimit = 2048

    /// Runs `decode` on every chunking and records an issue that names the first chunking with another outcome.
    @discardableResult
    static func check<Outcome: Equatable>(
        _ bytes: [UInt8],
        seed: UInt64 = 1,
        randomRounds: Int = 16,
        sourceLocation: SourceLocation = #_sourceLocation,
        decode: (_ chunks: [[UInt8]]) throws -> Outcome
    ) rethrows -> Outcome {
        let (whole, difference) = try compare(bytes, seed: seed, randomRounds: randomRounds, decode: decode)
        if let difference {
            Issue.record(Comment(rawValue: difference), sourceLocation: sourceLocation)
        }
        return whole
    }

    /// The outcome of the whole feed, and a sentence about the first chunking that gave another one.
    static func compare<Outcome: Equatable>(
        _ bytes: [UInt8],
        seed: UInt64 = 1,
        randomRounds: Int = 16,
        decode: (_ chunks: [[UInt8]]) throws -> Outcome
    ) rethrows -> (whole: Outcome, difference: String?) {
        let whole = try decode([bytes])
        func difference(_ chunks: [[UInt8]], _ name: String) throws -> String? {
            let outcome = try decode(chunks)
            return outcome == whole ? nil : "fed \(name): \(outcome); fed whole: \(whole)"
        }
        if let found = try difference(bytes.map { [$0] }, "byte by byte") {
            return (whole, found)
        }
        for index in splits(of: bytes.count, seed: seed) {
            let halves = [Array(bytes[..<index]), Array(bytes[index...])]
            if let found = try difference(halves, "in two, split at \(index) of \(bytes.count)") {
                return (whole, found)
            }
        }
        for round in 0..<randomRounds {
            let pieces = pieces(of: bytes, seed: seed &+ UInt64(round))
            let name = "in random pieces of \(pieces.map(\.count)), seed \(seed &+ UInt64(round))"
            if let found = try difference(pieces, name) {
                return (whole, found)
            }
        }
        return (whole, nil)
    }

    /// Where to split in two: everywhere, or for long inputs near both ends and at places drawn from the seed.
    static func splits(of count: Int, seed: UInt64) -> [Int] {
        guard count > everySplitLimit else { return Array(0...count) }
        var random = SeededRandom(seed: seed)
        var splits = Set(0...64).union((count - 64)...count)
        while splits.count < 256 {
            splits.insert(Int.random(in: 0...count, using: &random))
        }
        return splits.sorted()
    }

    /// Cuts the bytes into pieces of random lengths: mostly a few bytes, some long, some empty.
    static func pieces(of bytes: [UInt8], seed: UInt64) -> [[UInt8]] {
        var random = SeededRandom(seed: seed)
        let longest = max(1, [3, 16, 200, bytes.count].randomElement(using: &random) ?? 16)
        var pieces: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let length = min(Int.random(in: 0...longest, using: &random), bytes.count - start)
            pieces.append(Array(bytes[start..<(start + length)]))
            start += length
        }
        return pieces
    }
}
