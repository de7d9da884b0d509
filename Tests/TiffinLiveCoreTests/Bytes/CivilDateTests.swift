import Testing

@testable import TiffinLiveCore

@Suite("Civil dates")
struct CivilDateTests {
    @Test(
        "a day number is its date in the Gregorian calendar",
        arguments: [
            (0, 1970, 1, 1), (58, 1970, 2, 28), (59, 1970, 3, 1), (789, 1972, 2, 29), (10_956, 1999, 12, 31),
            (11_016, 2000, 2, 29), (20_787, 2026, 11, 30), (47_540, 2100, 2, 28), (47_541, 2100, 3, 1),
            (2_932_896, 9999, 12, 31),
        ])
    func date(number: Int64, year: Int, month: Int, day: Int) {
        let date = CivilDate(day: number)
        #expect(date.year == year)
        #expect(date.month == month)
        #expect(date.day == day)
    }

    @Test("every day is followed by the next one, for four centuries")
    func succession() {
        var previous = CivilDate(day: 0)
        for number in 1...Int64(146_097) {
            let date = CivilDate(day: number)
            let isNextDay = date.year == previous.year && date.month == previous.month && date.day == previous.day + 1
            let isNextMonth = date.day == 1 && date.month == previous.month % 12 + 1 && previous.day >= 28
            #expect(isNextDay || isNextMonth)
            previous = date
        }
    }
}
