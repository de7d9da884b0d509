import Testing

@testable import TiffinLiveCore

@Suite("Metrics")
struct MetricsTests {
    @Test("known words are counted by name, all others together")
    func words() {
        var words = MetricsWords(["a", "b"])
        for word in ["a", "b", "b", "c", "", "\u{0}", "other"] { words.count(word) }
        #expect(words.words == ["a", "b", "other"])
        #expect(words.counts == [1, 2, 4])
        #expect(words["b"] == 2)
        #expect(words["z"] == 0)
        words.add(words)
        #expect(words.counts == [2, 4, 8])
    }

    @Test(
        "a span falls into the class whose end it does not pass",
        arguments: [
            (0, 0), (-5, 0), (100_000, 0), (100_001, 1), (1_000_000, 3), (1_000_001, 4), (10_000_000_000, 15),
            (10_000_000_001, 16), (Nanoseconds.max, 16), (Nanoseconds.min, 0),
        ] as [(Nanoseconds, Int)])
    func classes(span: Nanoseconds, expected: Int) {
        var histogram = MetricsHistogram()
        histogram.observe(span)
        #expect(histogram.counts.firstIndex(of: 1) == expected)
        #expect(histogram.counts.reduce(0, +) == 1)
        #expect(histogram.sum == UInt64(max(span, 0)))
    }

    @Test("the ends of the classes rise and their labels say the same in seconds")
    func bounds() {
        var last: Nanoseconds = 0
        for bound in MetricsHistogram.bounds {
            #expect(bound.end > last)
            last = bound.end
            #expect(Double(bound.label.description).map { Nanoseconds(($0 * 1e9).rounded()) } == bound.end)
        }
    }

    @Test("the figures of two loops add up")
    func sums() {
        var first = WorkerMetrics()
        first.change(.websocket, by: 3)
        first.change(.websocket, by: -1)
        first.change(.sse, by: 1)
        first.count(handshake: "accepted")
        first.count(handshake: "no such word")
        first.count(refusal: 503)
        first.count(close: .revoked)
        first.count(refresh: "token_expired")
        first.handshakeSeconds.observe(5)
        first.bytesIn = .max
        first.revocations = 4
        first.turns.turnEnded(at: 5, after: 10)
        var second = first
        second.bytesIn = 2
        second.revocations = 5
        second.turns.turnEnded(at: 6, after: 9)
        second.sockets = 3
        first.tokensAccepted = 2
        second.tokensAccepted = 3
        second.tokensRefused = 4
        second.revocationsRemembered = 8
        second.queuedBytes = 7
        second.connectionsPastDeadline = 1
        var sum = WorkerMetrics()
        sum.add(first)
        sum.add(second)
        #expect(sum.webSockets == 4)
        #expect(sum.eventStreams == 2)
        #expect(sum.handshakes["accepted"] == 2)
        #expect(sum.handshakes["full"] == 2)
        #expect(sum.handshakes["other"] == 2)
        #expect(sum.closes["revoked"] == 2)
        #expect(sum.refreshes["token_expired"] == 2)
        #expect(sum.handshakeSeconds.sum == 10)
        #expect(sum.bytesIn == 1)
        #expect(sum.revocations == 5)
        #expect(sum.turns.longest == 10)
        #expect(sum.turns.turns == 3)
        #expect(sum.turns.busy == 29)
        #expect(sum.sockets == 3)
        #expect(sum.tokensAccepted == 3, "the loops share what is remembered")
        #expect(sum.tokensRefused == 4)
        #expect(sum.revocationsRemembered == 8)
        #expect(sum.queuedBytes == 7)
        #expect(sum.connectionsPastDeadline == 1)
    }

    @Test("every reason of a close has its own counter")
    func closes() {
        var metrics = WorkerMetrics()
        for reason in DisconnectReason.allCases { metrics.count(close: reason) }
        #expect(metrics.closes.counts.dropLast().allSatisfy { $0 == 1 })
        #expect(metrics.closes["other"] == 0)
    }
}
