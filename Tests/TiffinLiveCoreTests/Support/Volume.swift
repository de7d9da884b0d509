import Glibc

/// How much a test of endurance does: its usual count, or the full one when `TIFFIN_LIVE_VOLUME` is `full` in the
/// environment, as `scripts/soak` has it. What is asserted is the same.
enum Volume {
    static let isFull = getenv("TIFFIN_LIVE_VOLUME").map { String(cString: $0) } == "full"

    static func count(_ usual: Int, full: Int) -> Int { isFull ? full : usual }
}
