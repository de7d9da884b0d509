import Glibc
import TiffinLiveCore

/// Orders that move: what Tiffin's services would publish, sent through the admin listener.
///
/// Order 123 of customer 7001 is ordered again whenever it was delivered, so that commands which name it keep working;
/// beside it runs one order after the other of another customer.
struct OrderSimulation {
    private static let statuses = ["placed", "accepted", "cooking", "picked_up", "arriving", "delivered"]
    private static let ticksPerStatus = 3
    private static let tick: Int32 = 1000

    private let demo: DemoServer
    private let progress: DemoProgress
    private var tick = 0
    /// Numbers the events of order 123, so that a client can tell that none is missing.
    private var sequence = 0
    private var otherOrder = 124
    private var offer = 980

    init(_ demo: DemoServer, _ progress: DemoProgress) {
        self.demo = demo
        self.progress = progress
    }

    func run() {
        var simulation = self
        simulation.loop()
    }

    private mutating func loop() {
        while !progress.hasStopped {
            do {
                try advance()
                tick += 1
            } catch {
                // The server is going, or was asked for too much: the same tick comes again.
            }
            poll(nil, 0, Self.tick)
        }
    }

    private mutating func advance() throws(ClientError) {
        if tick == 0 {
            try demo.admin.store(["HSET", "order:123", "customer_id", "7001"])
            try demo.admin.store(["HSET", "order:124", "customer_id", "7002"])
        }
        let step = tick / Self.ticksPerStatus
        if tick % Self.ticksPerStatus == 0 {
            try publish(status: Self.statuses[step % Self.statuses.count], of: 123)
        } else {
            try publishPosition()
        }
        if tick % 4 == 1 { try offerOrder() }
        // Half an order apart from the other one.
        if tick % Self.ticksPerStatus == 1 {
            let index = (step + 3) % Self.statuses.count
            if index == 0, step > 0 {
                otherOrder += 1
                try demo.admin.store(["HSET", "order:\(otherOrder)", "customer_id", "7002"])
            }
            try publish(status: Self.statuses[index], of: otherOrder)
        }
    }

    private mutating func publish(status: String, of order: Int) throws(ClientError) {
        var data = JSONObject(("order", .string(String(order))), ("status", .string(status)))
        _ = try demo.admin.publish(topic: "restaurants:88", event: "order", data: .object(data))
        if order == 123 { data["n"] = .integer(sequence + 1) }
        _ = try demo.admin.publish(topic: "orders:\(order)", event: "status", data: .object(data))
        if order == 123 { count() }
    }

    private mutating func publishPosition() throws(ClientError) {
        let data: JSONValue = [
            "order": "123", "rider": "5523", "lat": Self.degrees(48_208_00 + tick % 90),
            "lon": Self.degrees(16_373_00 + tick * 7 % 120), "n": .integer(sequence + 1),
        ]
        _ = try demo.admin.publish(topic: "orders:123", event: "position", data: data)
        count()
    }

    private mutating func offerOrder() throws(ClientError) {
        offer += 1
        let data: JSONValue = [
            "offer": .integer(offer), "order": .string(String(otherOrder)), "restaurant": "88", "answer_within": 20,
        ]
        for rider in [Story.rider, "5521"] {
            _ = try demo.admin.publish(topic: "riders:\(rider)", event: "offer", data: data)
        }
    }

    private mutating func count() {
        sequence += 1
        progress.didPublish(sequence)
    }

    /// From hundred-thousandths.
    private static func degrees(_ value: Int) -> JSONValue {
        let fraction = String(value % 100_000)
        let zeros = String(repeating: "0", count: 5 - fraction.utf8.count)
        return .number(JSONNumber(text: "\(value / 100_000).\(zeros)\(fraction)"))
    }
}
