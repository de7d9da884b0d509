import Glibc
import TiffinLiveCore

/// Orders that move: what Tiffin's services would publish, sent through the admin listener.
///
/// Order 123 of customer 7001 is ordered again whenever it was delivered, so that commands which name it keep working;
/// beside it run three orders of another customer, one after the other each.
struct OrderSimulation {
    private static let statuses = ["placed", "accepted", "cooking", "picked_up", "arriving", "delivered"]
    private static let ticksPerStatus = 3
    private static var ticksPerOrder: Int { statuses.count * ticksPerStatus }
    private static let ticksPerOffer = 6
    private static let tick: Int32 = 1000
    private static let dishes = [
        "2 masala dosa, 1 lassi", "1 thali, 1 mango pickle", "3 idli, 2 filter coffee", "1 paneer tikka, 2 roti",
        "2 rajma bowls, 1 raita",
    ]

    /// One order after the other.
    private struct Lane {
        var order: Int
        /// By how many ticks it is ahead of order 123.
        let lead: Int
    }

    private let demo: DemoServer
    private let operations: DemoOperations
    private let progress: DemoProgress
    private var tick = 0
    /// Numbers the events of order 123, so that a client can tell that none is missing.
    private var sequence = 0
    private var lanes = [
        Lane(order: 123, lead: 0), Lane(order: 124, lead: 10), Lane(order: 125, lead: 4), Lane(order: 126, lead: 14),
    ]
    private var lastOrder = 126
    private var offer = 980

    init(_ demo: DemoServer, _ operations: DemoOperations, _ progress: DemoProgress) {
        self.demo = demo
        self.operations = operations
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
        if tick == 0 { try operations.fillStore() }
        for index in lanes.indices { try advance(lane: index) }
        try publishPosition()
        if tick % Self.ticksPerOffer == 1 { try offerOrder() }
    }

    private mutating func advance(lane index: Int) throws(ClientError) {
        let ticks = tick + lanes[index].lead
        guard ticks % Self.ticksPerStatus == 0 else { return }
        let step = ticks / Self.ticksPerStatus % Self.statuses.count
        if index > 0 {
            if step == 0 {
                lastOrder += 1
                lanes[index].order = lastOrder
            }
            // Each time, since a server that was started anew knows nothing.
            try demo.admin.store(["HSET", "order:\(lanes[index].order)", "customer_id", "7002"])
        }
        try publish(status: Self.statuses[step], of: lanes[index].order)
    }

    private mutating func publish(status: String, of order: Int) throws(ClientError) {
        var data = JSONObject(("order", .string(String(order))), ("status", .string(status)))
        _ = try demo.admin.publish(topic: "trips:\(order)", event: "status", data: .object(data))
        data["dishes"] = .string(Self.dishes[order % Self.dishes.count])
        _ = try demo.admin.publish(topic: "restaurants:88", event: "order", data: .object(data))
        data.remove("dishes")
        if order == 123 { data["n"] = .integer(sequence + 1) }
        _ = try demo.admin.publish(topic: "orders:\(order)", event: "status", data: .object(data))
        if order == 123 { count() }
    }

    private mutating func publishPosition() throws(ClientError) {
        let place = Journey.place(atTick: tick % Self.ticksPerOrder)
        let data: JSONValue = [
            "order": "123", "rider": .string(DemoOperations.rider), "lat": Self.degrees(place.latitude),
            "lon": Self.degrees(place.longitude), "n": .integer(sequence + 1),
        ]
        _ = try demo.admin.publish(topic: "orders:123", event: "position", data: data)
        count()
    }

    private mutating func offerOrder() throws(ClientError) {
        offer += 1
        let data: JSONValue = [
            "offer": .integer(offer), "order": .string(String(lastOrder)), "restaurant": "88", "answer_within": 20,
        ]
        for rider in [Story.rider, DemoOperations.rider] {
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
