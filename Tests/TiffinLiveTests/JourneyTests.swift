import Testing

@testable import TiffinLive

struct JourneyTests {
    private static let restaurant = Journey.Place(longitude: 1_636_550, latitude: 4_820_500)
    private static let home = Journey.Place(longitude: 1_637_400, latitude: 4_820_750)

    @Test func `The rider waits, rides to the restaurant, waits there, and rides to the customer`() {
        let places = (0..<18).map { Journey.place(atTick: $0) }
        #expect(Set(places[0...2].map(\.latitude)) == [4_820_250])
        #expect(places[7] == Self.restaurant)
        #expect(places[8] == Self.restaurant)
        #expect(places[15] == Self.home)
        #expect(places[17] == Self.home)
    }

    @Test func `No step is longer than a street, and none goes back`() {
        for tick in 1..<18 {
            let (from, to) = (Journey.place(atTick: tick - 1), Journey.place(atTick: tick))
            #expect(to.longitude >= from.longitude)
            #expect(to.latitude >= from.latitude)
            #expect(to.longitude - from.longitude + to.latitude - from.latitude <= 200)
        }
    }

    @Test func `Ticks beyond the order stay at its ends`() {
        #expect(Journey.place(atTick: -5) == Journey.place(atTick: 0))
        #expect(Journey.place(atTick: 1000) == Self.home)
    }
}
