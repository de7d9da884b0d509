import Glibc
import Testing

@testable import TiffinLiveCore

/// A flood of numbered events over two servers, while Redis is restarted, links are cut and clients come and go: nobody
/// misses an event or gets one twice. `scripts/soak-redis` runs it for longer.
@Suite("Endurance over Redis", .enabled(if: RedisServer.isInstalled))
struct RedisEnduranceTests {
    private static func setting(_ name: String, _ value: Int) -> Int {
        getenv(name).flatMap { Int(String(cString: $0)) } ?? value
    }

    private static let seconds = setting("SOAK_SECONDS", 10)
    private static let rate = setting("SOAK_RATE", 500)
    private static let restarts = setting("SOAK_RESTARTS", 3)
    private static let cuts = setting("SOAK_CUTS", 8)
    private static let seed = UInt64(setting("SOAK_SEED", 77))
    private static let topics = 5

    @Test("every client's events are complete and none comes twice")
    func complete() throws {
        let fleet = try RedisFleet(
            redis: RedisServer(["appendonly yes", "appendfsync no"]),
            settings: ["events.keep=1000000", #"limits.outbound="64MiB""#])
        for topic in 0..<Self.topics { try fleet.give(order: "\(topic)") }
        let publisher = try NumberedRedisPublisher(
            port: fleet.redis.port, topics: (0..<Self.topics).map { "orders:\($0)" }, rate: Self.rate)
        let token = fleet.servers[0].token("7001", role: "customer", ttl: 3000)
        var clients: [(topic: Int, client: RoamingClient)] = []
        for number in 0..<(4 * Self.topics) {
            let topic = number % Self.topics
            let client = try RoamingClient(
                ports: fleet.servers.map(\.port), path: "/orders/\(topic)/events", token: token,
                seed: Self.seed &+ UInt64(number), stays: number < 2 * Self.topics, isWebSocket: number % 2 == 1)
            clients.append((topic, client))
        }
        try trouble(fleet)
        let published = publisher.stop()
        var connections = 0
        var refusals = 0
        var resets = 0
        for (number, (topic, client)) in clients.enumerated() {
            let result = client.finish(withinSeconds: 60)
            #expect(result.fault == nil)
            #expect(
                result.hasEnded,
                "client \(number) ended at \(result.runs.last?.last ?? -1) of \(published[topic].count)")
            for run in result.runs { #expect(fault(in: run, of: published[topic]) == nil, "client \(number)") }
            connections += result.connections
            refusals += result.refusals
            resets += result.runs.count - 1
        }
        // Redis keeps its data and all of the events: there is no reason for any.
        #expect(resets == 0)
        let uncertain = published.joined().count { !$0.isCertain }
        print(
            "endurance: \(published.joined().count) events (\(uncertain) without an answer), \(clients.count) clients, "
                + "\(connections) connections, \(refusals) refused or broken, \(resets) resets")
    }

    /// Restarts and cuts, spread over the time.
    private func trouble(_ fleet: RedisFleet) throws {
        var random = SeededRandom(seed: Self.seed)
        let steps = (Array(repeating: true, count: Self.restarts) + Array(repeating: false, count: Self.cuts))
            .shuffled(using: &random)
        let pause = UInt32(Self.seconds * 1_000_000 / (steps.count + 1))
        for (index, isRestart) in steps.enumerated() {
            usleep(UInt32.random(in: pause / 2...pause * 3 / 2, using: &random))
            if isRestart {
                fleet.redis.stop()
                usleep(UInt32.random(in: 0...300_000, using: &random))
                try fleet.redis.start()
            } else if index % 3 == 0 {
                _ = try? fleet.redis.killClients(index % 2 == 0 ? "pubsub" : "normal")
            } else {
                fleet.muxes[index % fleet.muxes.count].cut()
            }
        }
        usleep(pause)
    }

    /// The first thing that is wrong with what was seen: a number that was not due, or one that was left out.
    private func fault(in run: [Int], of published: [NumberedRedisPublisher.Entry]) -> String? {
        guard let first = run.first else { return nil }
        var due = published.drop { $0.number < first }[...]
        for number in run {
            while let next = due.first, next.number != number, !next.isCertain { due = due.dropFirst() }
            guard due.first?.number == number else {
                return "\(number) where \(due.first?.number ?? -1) was due"
            }
            due = due.dropFirst()
        }
        // To the end: what is left was never certain.
        return due.first { $0.isCertain }.map { "\($0.number) was never seen" }
    }
}
