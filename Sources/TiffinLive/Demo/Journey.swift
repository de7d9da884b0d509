/// The way of the rider of order 123 over the town that the page draws: to the restaurant while the order is accepted, on to
/// the customer once it is picked up. In hundred-thousandths of a degree.
enum Journey {
    struct Place: Equatable {
        let longitude: Int
        let latitude: Int
    }

    /// Corners of the way; the restaurant is one of them.
    private static let toRestaurant = [
        Place(longitude: 1_636_200, latitude: 4_820_250), Place(longitude: 1_636_200, latitude: 4_820_500),
        Place(longitude: 1_636_550, latitude: 4_820_500),
    ]
    private static let toCustomer = [
        Place(longitude: 1_636_550, latitude: 4_820_500), Place(longitude: 1_637_000, latitude: 4_820_500),
        Place(longitude: 1_637_000, latitude: 4_820_750), Place(longitude: 1_637_400, latitude: 4_820_750),
    ]

    /// `tick`: since the order was placed; three for each status.
    static func place(atTick tick: Int) -> Place {
        tick < 9 ? place(on: toRestaurant, at: tick - 2, of: 5) : place(on: toCustomer, at: tick - 8, of: 7)
    }

    /// After `steps` of `count` steps of the same length.
    private static func place(on way: [Place], at steps: Int, of count: Int) -> Place {
        let lengths = zip(way, way.dropFirst()).map {
            abs($1.longitude - $0.longitude) + abs($1.latitude - $0.latitude)
        }
        var rest = lengths.reduce(0, +) * min(max(steps, 0), count) / count
        for (index, length) in lengths.enumerated() {
            guard rest > length else {
                let (from, to) = (way[index], way[index + 1])
                return Place(
                    longitude: from.longitude + (to.longitude - from.longitude) * rest / length,
                    latitude: from.latitude + (to.latitude - from.latitude) * rest / length)
            }
            rest -= length
        }
        return way[way.count - 1]
    }
}
