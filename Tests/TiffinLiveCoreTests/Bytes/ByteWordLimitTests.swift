import Testing

@testable import TiffinLiveCore

@Suite("ByteWord: limits and neighbours")
struct ByteWordLimitTests {
    private static func word(_ bytes: [UInt8]) -> ByteWord { bytes.withUnsafeBytes { ByteWord($0, at: 0) } }

    @Test("every limit from 1 to 128 is told right for every byte at every place")
    func everyLimit() {
        for limit in UInt8(1)...128 {
            for byte in [0, limit - 1, limit, limit &+ 1, 0x7F, 0x80, 0xFF] {
                for place in 0..<8 {
                    var bytes = [UInt8](repeating: 0xFF, count: 8)
                    bytes[place] = byte
                    #expect(Self.word(bytes).containsByte(below: limit) == (byte < limit))
                }
            }
        }
    }

    @Test("random words agree with a loop")
    func random() {
        var random = SeededRandom(seed: 5)
        for _ in 0..<5000 {
            // Bytes around the limits that matter, where borrows run from one to the next.
            let near: [UInt8] = [0x00, 0x01, 0x1F, 0x20, 0x21, 0x22, 0x23, 0x5C, 0x7F, 0x80, 0xA2, 0xFF]
            let bytes = (0..<8).map { _ in near.randomElement(using: &random) ?? 0 }
            let word = Self.word(bytes)
            for sought in near { #expect(word.contains(sought) == bytes.contains(sought)) }
            #expect(word.containsByte(below: 0x20) == bytes.contains { $0 < 0x20 })
            #expect(word.containsByte(below: 0x80) == bytes.contains { $0 < 0x80 })
        }
    }
}

@Suite("Civil dates: an independent calendar")
struct CalendarTests {
    private static func isLeap(_ year: Int) -> Bool { year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) }

    @Test("the first day of every month from 1970 to 2500, and the day before it")
    func months() {
        var day: Int64 = 0
        for year in 1970...2500 {
            let lengths = [31, Self.isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            for (index, length) in lengths.enumerated() {
                let first = CivilDate(day: day)
                #expect(first.year == year && first.month == index + 1 && first.day == 1)
                let last = CivilDate(day: day + Int64(length) - 1)
                #expect(last.year == year && last.month == index + 1 && last.day == length)
                day += Int64(length)
            }
        }
    }

    @Test("a date is equal to itself and to no other day")
    func equality() {
        #expect(CivilDate(day: 20_000) == CivilDate(day: 20_000))
        #expect(CivilDate(day: 20_000) != CivilDate(day: 20_001))
        #expect(CivilDate(day: 0) != CivilDate(day: 365))
        #expect(CivilDate(day: 0) != CivilDate(day: 31))
    }

    @Test("the last day that nanoseconds reach", arguments: [(Int64.max / 86_400_000_000_000, 2262, 4, 11)])
    func last(_ day: Int64, _ year: Int, _ month: Int, _ dayOfMonth: Int) {
        let date = CivilDate(day: day)
        #expect(date.year == year && date.month == month && date.day == dayOfMonth)
    }
}
