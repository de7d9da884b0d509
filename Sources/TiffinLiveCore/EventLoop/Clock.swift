import Glibc

/// The only place that reads the clocks.
enum Clock {
    /// CLOCK_MONOTONIC and CLOCK_REALTIME, one after the other (about 22 ns each).
    static func now() -> Moment {
        Moment(monotonic: monotonic(), wall: read(CLOCK_REALTIME))
    }

    static func monotonic() -> Nanoseconds {
        read(CLOCK_MONOTONIC)
    }

    /// CLOCK_PROCESS_CPUTIME_ID: what this process has used of all processors.
    static func processor() -> Nanoseconds {
        read(CLOCK_PROCESS_CPUTIME_ID)
    }

    private static func read(_ clock: clockid_t) -> Nanoseconds {
        var time = timespec()
        clock_gettime(clock, &time)
        return Nanoseconds(time.tv_sec) &* .second &+ Nanoseconds(time.tv_nsec)
    }
}
