import Testing

@testable import TiffinLiveCore

@Suite("Contract 5: try again later")
struct AdmissionLimitTests {
    private static func retryAfter(_ response: RawResponse) -> Int? {
        response.only("Retry-After").flatMap { Int($0) }
    }

    /// A harness in which the next handshake is refused for a reason that passes.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let status: Int
        let error: String
        let seconds: ClosedRange<Int>
        var settings: [String] = []
        let prepare: @Sendable (SessionHarness) -> Void

        var testDescription: String { name }
    }

    static let cases = [
        Case(name: "draining", status: 503, error: "draining", seconds: 1...5) { $0.context.isDraining = true },
        Case(name: "full", status: 503, error: "full", seconds: 1...10) { $0.registration = .full },
        Case(name: "the user's limit", status: 429, error: "too_many_connections", seconds: 5...30) {
            $0.registration = .userLimit
        },
        Case(name: "the address's limit", status: 429, error: "too_many_connections", seconds: 5...30) {
            $0.registration = .addressLimit
        },
        Case(
            name: "the admission rate", status: 503, error: "over_admission_rate", seconds: 1...10,
            settings: ["limits.admissions={rate:1,burst:1}"]
        ) { harness in
            var random = SeededRandom(seed: 1)
            _ = random.next()
            _ = harness.context.admissions.take(
                now: harness.now.monotonic, limit: harness.context.settings.limits.admissions)
        },
    ]

    @Test("is said with Retry-After, which is not the same for everybody", arguments: cases)
    func jittered(_ refusal: Case) throws {
        var delays: Set<Int> = []
        for seed in 0..<40 {
            let harness = try SessionHarness(refusal.settings, seed: UInt64(seed))
            refusal.prepare(harness)
            let client = try harness.connect()
            client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
            let response = try client.lastResponse()
            #expect(response.status == refusal.status)
            #expect(response.text == #"{"error":"\#(refusal.error)"}"#)
            let delay = try #require(Self.retryAfter(response))
            #expect(refusal.seconds.contains(delay))
            delays.insert(delay)
            #expect(client.opened == 0)
            #expect(client.topics.isEmpty)
        }
        #expect(delays.count >= refusal.seconds.count / 2)
    }

    @Test("event streams are refused in the same words", arguments: cases)
    func streams(_ refusal: Case) throws {
        let harness = try SessionHarness(refusal.settings)
        refusal.prepare(harness)
        harness.own("123", by: "7001")
        let client = try harness.connect()
        client.send(SessionHarness.stream("/orders/123/events", token: harness.token("7001", role: "customer")))
        let response = try client.lastResponse()
        #expect(response.status == refusal.status)
        #expect(response.only("Content-Type") == "application/json")
    }

    @Test("the admission rate lets through what it says, and again later")
    func admissionRate() throws {
        let harness = try SessionHarness(["limits.admissions={rate:10,burst:3}"])
        func admitted() throws -> Int {
            try (0..<10).count { _ in
                let client = try harness.connect()
                client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
                return try client.response().status == 101
            }
        }
        #expect(try admitted() == 3)
        harness.advance(by: 100 * .millisecond)
        #expect(try admitted() == 1)
        harness.advance(seconds: 10)
        #expect(try admitted() == 3)
    }

    @Test("a token that is refused takes nothing from the admission rate")
    func refusedTokensAreFree() throws {
        let harness = try SessionHarness(["limits.admissions={rate:1,burst:1}"])
        for _ in 0..<20 {
            let client = try harness.connect()
            client.send(SessionHarness.upgrade("/rider/socket", token: harness.token(ttl: -1)))
            #expect(try client.response().status == 401)
        }
        _ = try harness.openWebSocket()
    }

    @Test("a draining server does not even look at the token")
    func drainingIsCheap() throws {
        let harness = try SessionHarness()
        harness.context.isDraining = true
        let client = try harness.connect()
        client.send(SessionHarness.upgrade("/rider/socket", token: harness.token()))
        #expect(try client.response().status == 503)
        #expect(harness.context.verifier.signatureCount == 0)
        #expect(client.registrations == 0)
    }
}
