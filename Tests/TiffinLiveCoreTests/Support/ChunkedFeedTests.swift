import Testing

@Suite("The chunked feed")
struct ChunkedFeedTests {
    static let bytes = [UInt8]("one\ntwo\nthree\n".utf8)

    @Test("agrees when a decoder keeps what is incomplete")
    func agrees() {
        let (whole, difference) = ChunkedFeed.compare(Self.bytes) { chunks in
            var lines: [[UInt8]] = []
            var line: [UInt8] = []
            for byte in chunks.joined() {
                if byte == 0x0A {
                    lines.append(line)
                    line = []
                } else {
                    line.append(byte)
                }
            }
            return lines
        }
        #expect(whole.count == 3)
        #expect(difference == nil)
    }

    @Test("names the chunking when a decoder forgets what is incomplete")
    func differs() {
        let (_, difference) = ChunkedFeed.compare(Self.bytes) { chunks in
            chunks.reduce(0) { $0 + $1.split(separator: 0x0A).count }
        }
        #expect(difference?.contains("byte by byte") == true)
    }

    @Test("finds a fault that shows at one split only")
    func oneSplit() {
        let (_, difference) = ChunkedFeed.compare(Self.bytes) { chunks in
            chunks.count == 2 && chunks[0].count == 5
        }
        #expect(difference?.contains("split at 5 of") == true)
    }

    @Test("random pieces put together are the input", arguments: [0, 1, 5, 300, 5000])
    func piecesAreWhole(count: Int) {
        let bytes = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
        for seed in 0..<20 {
            #expect(Array(ChunkedFeed.pieces(of: bytes, seed: UInt64(seed)).joined()) == bytes)
        }
    }

    @Test("splits everywhere when short, and a few hundred times when long")
    func splitCounts() {
        #expect(ChunkedFeed.splits(of: 2048, seed: 1).count == 2049)
        #expect(ChunkedFeed.splits(of: 1_000_000, seed: 1).count == 256)
    }
}
