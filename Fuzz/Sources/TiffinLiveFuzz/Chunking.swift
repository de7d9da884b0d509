/// Ways to cut an input, as a network may: whole, byte by byte, in two, at random. The random cuts are drawn from a
/// digest of the input, so that the files of the corpus are plain inputs and every finding can be run again.
enum Chunking {
    /// The outcome of the whole input, after a check that other chunkings have the same.
    @discardableResult
    static func check<Outcome: Equatable>(_ bytes: [UInt8], _ decode: ([[UInt8]]) -> Outcome) -> Outcome {
        let whole = decode([bytes])
        for chunks in [bytes.map { [$0] }, halves(bytes), pieces(bytes, longest: 5), pieces(bytes, longest: 40)] {
            let outcome = decode(chunks)
            TiffinLiveFuzz.check(
                outcome == whole, "fed as \(chunks.map(\.count)): \(outcome)\nfed whole: \(whole)")
        }
        return whole
    }

    private static func halves(_ bytes: [UInt8]) -> [[UInt8]] {
        var state = digest(bytes)
        let cut = Int(truncatingIfNeeded: next(&state) >> 33) % (bytes.count + 1)
        return [Array(bytes[..<cut]), Array(bytes[cut...])]
    }

    private static func pieces(_ bytes: [UInt8], longest: Int) -> [[UInt8]] {
        var state = digest(bytes) &+ UInt64(longest)
        var chunks: [[UInt8]] = []
        var start = 0
        while start < bytes.count {
            let end = min(start + Int(truncatingIfNeeded: next(&state) >> 33) % (longest + 1), bytes.count)
            chunks.append(Array(bytes[start..<end]))
            start = end
        }
        return chunks
    }

    /// FNV-1a.
    private static func digest(_ bytes: [UInt8]) -> UInt64 {
        bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
    }

    private static func next(_ state: inout UInt64) -> UInt64 {
        state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
        return state
    }
}
