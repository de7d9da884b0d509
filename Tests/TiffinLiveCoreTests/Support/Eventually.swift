import Glibc

/// Asks again and again until the answer is yes. The time-out is a safety net: no test measures time with it.
func eventually(_ what: String, withinSeconds limit: Int = 20, _ condition: () throws -> Bool) throws {
    for _ in 0..<(limit * 100) {
        if try condition() { return }
        usleep(10_000)
    }
    throw RawClientError.timedOut(waitingFor: what)
}
