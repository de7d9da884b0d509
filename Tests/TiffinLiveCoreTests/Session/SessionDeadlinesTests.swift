import Testing

@testable import TiffinLiveCore

@Suite("Contract 7.2: the moments of a connection")
struct SessionDeadlinesTests {
    static let clock = ManualClock()

    private static func deadlines(
        life: Nanoseconds, age: Nanoseconds = SessionDeadlines.never, expiry: SessionSettings.Expiry = .init(),
        warns: Bool = true, seed: UInt64 = 1
    ) -> SessionDeadlines {
        var random = SeededRandom(seed: seed)
        var deadlines = SessionDeadlines()
        let now = clock.now
        deadlines.set(
            expiresAt: now.wall.clampedAdding(life), ageEnd: now.monotonic.clampedAdding(age), expiry: expiry,
            warns: warns, now: now, random: &random)
        return deadlines
    }

    private static let day: Nanoseconds = 86_400 * .second
    static let farAwayLives: [Nanoseconds] = [25 * day, 30 * day, 36_500 * day, .max, .max - 20_000 * day]
    static let roundings: [(life: Nanoseconds, seconds: Int)] = [
        (900 * .second, 900), (899_600 * .millisecond, 900), (899_400 * .millisecond, 899), (400 * .millisecond, 0),
        (0, 0),
    ]
    static let lives: [Nanoseconds] = [
        0, 1, 1000, 20 * .millisecond, 200 * .millisecond, .second, 2 * .second, 5 * .second, 30 * .second,
        120 * .second, 239 * .second, 240 * .second, 241 * .second, 480 * .second, 900 * .second, 3600 * .second,
    ]

    @Test("the close is drawn from the last min(jitter, remaining / 4), never after exp", arguments: lives)
    func window(life: Nanoseconds) {
        let exp = Self.clock.now.monotonic + life
        let window = min(60 * .second, life / 4)
        var earliest = Nanoseconds.max
        var latest = Nanoseconds.min
        for seed in 0..<3000 {
            let deadlines = Self.deadlines(life: life, seed: UInt64(seed))
            if deadlines.end != exp { Issue.record("the end is \(deadlines.end)") }
            earliest = min(earliest, deadlines.close)
            latest = max(latest, deadlines.close)
        }
        #expect(latest <= exp)
        #expect(earliest >= exp - window)
        #expect(earliest >= Self.clock.now.monotonic)
        guard life >= .second else { return }
        #expect(latest - earliest > window / 2, "the draws spread over the window")
        #expect(latest < exp, "and leave a timer the time to be a little late")
    }

    @Test("the draws are spread evenly, so that a fleet does not come back at once")
    func even() {
        let buckets = 12
        var counts = [Int](repeating: 0, count: buckets)
        let draws = 12_000
        for seed in 0..<draws {
            let deadlines = Self.deadlines(life: 900 * .second, seed: UInt64(seed) &* 7919)
            let before = deadlines.end - deadlines.close
            counts[min(buckets - 1, Int(before / (5 * .second)))] += 1
        }
        for count in counts { #expect((800...1200).contains(count), "\(counts)") }
    }

    @Test("without jitter the close is at the end, a tick before", arguments: lives)
    func noJitter(life: Nanoseconds) {
        var expiry = SessionSettings.Expiry()
        expiry.jitter = 0
        let deadlines = Self.deadlines(life: life, expiry: expiry)
        #expect(deadlines.close == deadlines.end - min(SessionDeadlines.closeGuard, life / 4))
    }

    @Test("a token that has expired already ends at once", arguments: [-1, -.second, -3600 * .second, Nanoseconds.min])
    func past(life: Nanoseconds) {
        let deadlines = Self.deadlines(life: life)
        #expect(deadlines.end == Self.clock.now.monotonic)
        #expect(deadlines.close == Self.clock.now.monotonic)
        #expect(deadlines.isPast(Self.clock.now))
        #expect(deadlines.secondsLeft(Self.clock.now) == 0)
    }

    @Test(
        "the earlier of exp and the age decides",
        arguments: [(900, 7200, false), (900, 899, true), (900, 901, false), (900, 0, true)])
    func age(life: Int64, age: Int64, byAge: Bool) {
        let deadlines = Self.deadlines(life: life * .second, age: age * .second)
        #expect(deadlines.endsByAge == byAge)
        #expect(deadlines.end == Self.clock.now.monotonic + min(life, age) * .second)
    }

    @Test(
        "an exp that is far away neither traps nor fires early (B34)",
        arguments: farAwayLives)
    func farAway(life: Nanoseconds) {
        var deadlines = Self.deadlines(life: life)
        var later = Self.clock
        #expect(!deadlines.isPast(later.now))
        #expect(deadlines.earliest > later.now.monotonic + 24 * 86_400 * .second)
        #expect(deadlines.secondsLeft(later.now) > 24 * 86_400)
        later.advance(by: 3600 * .second)
        #expect(!deadlines.isPast(later.now))
        deadlines.clockStepped(now: later.now)
        #expect(!deadlines.isPast(later.now))
        #expect(deadlines.close > later.now.monotonic + 86_400 * .second)
    }

    @Test("is past at the end on either clock, and not a nanosecond before")
    func past() {
        let deadlines = Self.deadlines(life: 900 * .second)
        var clock = Self.clock
        clock.advance(by: 900 * .second - 1)
        #expect(!deadlines.isPast(clock.now))
        clock.stepWall(by: 1)
        #expect(deadlines.isPast(clock.now))
        clock.stepWall(by: -1000 * .second)
        #expect(!deadlines.isPast(clock.now))
        clock.advanceMonotonic(by: 1)
        #expect(deadlines.isPast(clock.now))
    }

    @Test(
        "a step of the wall clock forwards moves everything nearer by as much",
        arguments: [1, 10, 600, 899].map { Int64($0) })
    func stepForwards(seconds: Int64) {
        for seed in 0..<200 {
            let before = Self.deadlines(life: 900 * .second, seed: UInt64(seed))
            var after = before
            var clock = Self.clock
            clock.stepWall(by: seconds * .second)
            after.clockStepped(now: clock.now)
            #expect(after.end == before.end - seconds * .second)
            #expect(after.close == max(before.close - seconds * .second, clock.now.monotonic))
            #expect(after.warning == max(before.warning - seconds * .second, clock.now.monotonic))
            #expect(after.close <= after.end)
        }
    }

    @Test("a step back extends nothing", arguments: [1, 10, 3600, 10_000_000].map { Int64($0) })
    func stepBack(seconds: Int64) {
        let before = Self.deadlines(life: 900 * .second)
        var after = before
        var clock = Self.clock
        clock.stepWall(by: -seconds * .second)
        after.clockStepped(now: clock.now)
        #expect(after.end == before.end)
        #expect(after.close == before.close)
        #expect(after.warning == before.warning)
    }

    @Test("many small steps either way never extend and never pass exp on the wall clock")
    func manySteps() {
        for seed in 0..<200 {
            var random = SeededRandom(seed: UInt64(seed))
            var deadlines = Self.deadlines(life: 900 * .second, seed: UInt64(seed))
            let exp = deadlines.wallEnd
            var clock = Self.clock
            for _ in 0..<50 {
                let end = deadlines.end
                clock.stepWall(by: Nanoseconds.random(in: -20...20, using: &random) * .second)
                clock.advance(by: Nanoseconds.random(in: 0...5, using: &random) * .second)
                deadlines.clockStepped(now: clock.now)
                #expect(deadlines.end <= end)
                #expect(deadlines.close <= max(deadlines.end, clock.now.monotonic))
                #expect(deadlines.end - clock.now.monotonic <= max(0, exp - clock.now.wall))
            }
        }
    }

    @Test("when the age decided and the wall clock jumps, the token decides")
    func ageThenToken() {
        var deadlines = Self.deadlines(life: 900 * .second, age: 600 * .second)
        #expect(deadlines.endsByAge)
        var clock = Self.clock
        clock.stepWall(by: 100 * .second)
        deadlines.clockStepped(now: clock.now)
        #expect(deadlines.endsByAge, "800 seconds are left of the token, 600 of the age")
        clock.stepWall(by: 700 * .second)
        deadlines.clockStepped(now: clock.now)
        #expect(!deadlines.endsByAge)
        #expect(deadlines.end == clock.now.monotonic + 100 * .second)
    }

    @Test(
        "the warning comes before the window, at expiry.warning or half of what is left",
        arguments: lives.filter { $0 >= .second })
    func warning(life: Nanoseconds) {
        for (jitter, warning) in [(60, 120), (60, 60), (60, 30), (60, 1), (0, 120), (120, 60), (1000, 10)] {
            var expiry = SessionSettings.Expiry()
            expiry.jitter = Nanoseconds(jitter) * .second
            expiry.warning = Nanoseconds(warning) * .second
            let window = min(expiry.jitter, life / 4)
            for seed in 0..<50 {
                let deadlines = Self.deadlines(life: life, expiry: expiry, seed: UInt64(seed))
                #expect(deadlines.warning < deadlines.end - window || window == 0)
                #expect(deadlines.warning < deadlines.close)
                #expect(deadlines.warning >= Self.clock.now.monotonic + life / 2)
            }
        }
        let usual = Self.deadlines(life: life)
        #expect(usual.warning == usual.end - min(120 * .second, life / 2))
    }

    @Test("no warning when it is off or cannot be told")
    func noWarning() {
        var expiry = SessionSettings.Expiry()
        #expect(Self.deadlines(life: .second, expiry: expiry, warns: false).warning == SessionDeadlines.never)
        expiry.warning = 0
        #expect(Self.deadlines(life: .second, expiry: expiry).warning == SessionDeadlines.never)
    }

    @Test("setting again replaces everything but heartbeat and time-out")
    func replaced() {
        var deadlines = Self.deadlines(life: 900 * .second)
        deadlines.heartbeat = 5
        deadlines.timeout = 6
        var random = SeededRandom(seed: 1)
        deadlines.set(
            expiresAt: Self.clock.now.wall + 5 * .second, ageEnd: SessionDeadlines.never, expiry: .init(), warns: true,
            now: Self.clock.now, random: &random)
        #expect(deadlines.end == Self.clock.now.monotonic + 5 * .second)
        #expect(deadlines.heartbeat == 5)
        #expect(deadlines.timeout == 6)
        #expect(deadlines.earliest == 5)
    }

    @Test("the earliest is the earliest of all")
    func earliest() {
        var deadlines = SessionDeadlines()
        #expect(deadlines.earliest == SessionDeadlines.never)
        deadlines.timeout = 100
        #expect(deadlines.earliest == 100)
        deadlines.heartbeat = 50
        #expect(deadlines.earliest == 50)
        deadlines.setLastDelivery(20)
        #expect(deadlines.earliest == 20)
        deadlines.clear()
        #expect(deadlines.earliest == 100, "the time-out of closing stays")
        #expect(!deadlines.hasEnd)
    }

    @Test("seconds left are rounded to the nearest", arguments: roundings)
    func secondsLeft(life: Nanoseconds, seconds: Int) {
        #expect(Self.deadlines(life: life).secondsLeft(Self.clock.now) == seconds)
    }
}
