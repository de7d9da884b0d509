/// A day of the Gregorian calendar, for the dates of HTTP and of the log.
struct CivilDate: Equatable, Sendable {
    let year: Int
    /// 1 to 12.
    let month: Int
    let day: Int

    /// The date of a day number, counted from 1970-01-01 and not negative. Years are counted from March, so that the leap
    /// day is the last of its year, in eras of 400 years (146,097 days).
    init(day number: Int64) {
        let shifted = number + 719_468
        let era = shifted / 146_097
        let dayOfEra = shifted % 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        month = Int(shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9)
        year = Int(yearOfEra + era * 400) + (month <= 2 ? 1 : 0)
        day = Int(dayOfYear - (153 * shiftedMonth + 2) / 5 + 1)
    }
}
