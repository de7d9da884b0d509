@testable import TiffinLiveCore

/// PROXY headers: the same however they are cut, nothing taken that is the client's, and no end without a decision.
enum FuzzProxyHeader {
    struct Outcome: Equatable {
        var header: ProxyHeader?
        var error: ProxyHeaderError?
        var consumed = 0
    }

    static func run(_ bytes: [UInt8]) {
        let outcome = Chunking.check(bytes, decode)
        // 16 bytes and the longest that their length can name.
        let isDecided = outcome.header != nil || outcome.error != nil
        check(isDecided || bytes.count < 16 + 65_535, "undecided after \(bytes.count) bytes")
        check(outcome.header == nil || outcome.consumed <= bytes.count, "consumed \(outcome.consumed)")
    }

    private static func decode(_ chunks: [[UInt8]]) -> Outcome {
        var decoder = ProxyHeaderDecoder()
        var outcome = Outcome()
        for chunk in chunks {
            var consumed = 0
            do throws(ProxyHeaderError) {
                outcome.header = try chunk.withUnsafeBufferPointer { (all) throws(ProxyHeaderError) in
                    try decoder.receive(UnsafeRawBufferPointer(all), consumed: &consumed)
                }
            } catch {
                return Outcome(error: error)
            }
            outcome.consumed += consumed
            guard outcome.header == nil else { return outcome }
            check(consumed == chunk.count, "left bytes of a header that is not whole")
        }
        return outcome
    }
}
