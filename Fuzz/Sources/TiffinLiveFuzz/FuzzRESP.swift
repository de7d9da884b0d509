@testable import TiffinLiveCore

/// What Redis says: the same values however they are cut, within the limits, nothing after an error; a session that hears
/// it gives every command one reply at most, in order, and ends with exactly one.
enum FuzzRESP {
    struct Outcome: Equatable {
        var values: [String] = []
        var error: RESPError?
        var isInsideValue = false
    }

    static func run(_ bytes: [UInt8]) {
        Chunking.check(bytes, decode)
        Chunking.check(bytes) { session($0, .commands, version: 3) }
        Chunking.check(bytes) { session($0, .subscriptions, version: 3) }
        Chunking.check(bytes) { session($0, .subscriptions, version: 2) }
    }

    private static func decode(_ chunks: [[UInt8]]) -> Outcome {
        var limits = RESPLimits()
        limits.bulk = 200
        limits.elements = 50
        limits.depth = 4
        limits.reply = 400
        limits.line = 40
        var decoder = RESPDecoder(limits: limits)
        var outcome = Outcome()
        for chunk in chunks {
            chunk.withUnsafeBytes { bytes in
                var input = bytes
                do throws(RESPError) {
                    while let value = try decoder.next(&input) {
                        check(outcome.error == nil, "a value after an error")
                        check(size(value, depth: 0, limits) <= 400, "too large: \(value)")
                        outcome.values.append("\(value)")
                    }
                    check(input.isEmpty, "input left over")
                    check(outcome.error == nil || chunk.isEmpty, "no error after an error")
                } catch {
                    check(outcome.error == nil || outcome.error == error, "another error")
                    outcome.error = error
                }
            }
        }
        outcome.isInsideValue = outcome.error == nil && decoder.isInsideValue
        return outcome
    }

    /// Bytes of the strings in it.
    private static func size(_ value: RESPValue, depth: Int, _ limits: RESPLimits) -> Int {
        check(depth <= limits.depth, "too deep: \(value)")
        if case .map(let entries) = value {
            return entries.reduce(0) {
                $0 + size($1.key, depth: depth + 1, limits) + size($1.value, depth: depth + 1, limits)
            }
        }
        if case .push = value { check(depth == 0, "a push inside") }
        guard let elements = value.elements else { return value.bytes?.count ?? 0 }
        check(elements.count <= limits.elements, "too many elements")
        return elements.reduce(0) { $0 + size($1, depth: depth + 1, limits) }
    }

    /// Three commands or channels are under way when the input begins.
    private static func session(_ chunks: [[UInt8]], _ role: RedisSession<Int>.Role, version: Int) -> [String] {
        var session = RedisSession<Int>(role: role, settings: RedisSettings())
        var log: [String] = []
        session.connected(now: 0)
        hear(version == 3 ? "%0\r\n+PONG\r\n" : "-NOPROTO\r\n+OK\r\n+PONG\r\n", &session, &log)
        check(session.isReady, "not greeted")
        // Not before: a new link subscribes what is wanted in any order.
        for channel in ["a", "b", "c"] { session.subscribe(channel, now: 0) }
        for tag in 0..<3 where role == .commands { check(session.send([[0x61]], tag: tag, now: 0), "not taken") }
        log = []
        for chunk in chunks { hear(chunk, &session, &log) }
        session.disconnected()
        hear("", &session, &log)
        let replies = log.filter { $0.hasPrefix("reply") }
        check(replies.map { $0.prefix(7) } == (role == .commands ? ["reply 0", "reply 1", "reply 2"] : []), "\(log)")
        check(log.filter { $0.hasPrefix("failed") }.count <= 1, "\(log)")
        check(session.pendingCount == 0 && session.ledger.wantedCount == 3, "something is left")
        return log
    }

    private static func hear(_ text: String, _ session: inout RedisSession<Int>, _ log: inout [String]) {
        hear(Array(text.utf8), &session, &log)
    }

    private static func hear(_ bytes: [UInt8], _ session: inout RedisSession<Int>, _ log: inout [String]) {
        bytes.withUnsafeBytes { bytes in
            var input = bytes
            while let event = session.next(&input, now: 0) {
                switch event {
                case .reply(let tag, let result): log.append("reply \(tag) \(result)")
                case .failed(let fault): log.append("failed \(fault)")
                case .ready, .subscribed, .refused, .message: log.append("\(event)")
                }
            }
        }
    }
}
