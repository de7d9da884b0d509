import Testing

@testable import TiffinLiveCore

@Suite("The address of Redis, at the edges")
struct RedisAddressEdgeTests {
    @Test(
        "a host is a name or an address of at most 255 bytes",
        arguments: [
            ("h", "h"), ("a-b_c.d", "a-b_c.d"), ("[fe80::1%25eth0]", "fe80::1%25eth0"), ("[::]", "::"),
            (String(repeating: "h", count: 255), String(repeating: "h", count: 255)),
        ])
    func hosts(_ text: String, _ host: String) throws {
        #expect(try RedisURL("redis://\(text)").endpoint == .tcp(host: host, port: 6379))
        #expect(try RedisURL("redis://u:p@\(text):1/2").endpoint == .tcp(host: host, port: 1))
    }

    @Test(
        "anything else is no host",
        arguments: ["", "[]", "a,b", "a!b", "h\u{E9}", "[::1", "[::1]x", "*", String(repeating: "h", count: 256)])
    func notHosts(_ text: String) {
        #expect(throws: RedisURLError.malformedHost) { try RedisURL("redis://\(text)") }
    }

    @Test("ports go from 1 to 65535, leading zeros or not", arguments: [("1", 1), ("65535", 65535), ("006379", 6379)])
    func ports(_ text: String, _ port: UInt16) throws {
        #expect(try RedisURL("rediss://[::1]:\(text)").endpoint == .tcp(host: "::1", port: port))
    }

    @Test("anything else is no port", arguments: ["", "0", "65536", "-1", "+1", "1.0", "a", "0000006379", "1:2"])
    func notPorts(_ text: String) {
        #expect(throws: RedisURLError.malformedPort) { try RedisURL("redis://h:\(text)") }
        #expect(throws: RedisURLError.malformedPort) { try RedisURL("redis://[::1]:\(text)") }
    }

    @Test(
        "a database is a number of at most nine digits", arguments: [("0", 0), ("00", 0), ("999999999", 999_999_999)])
    func databases(_ text: String, _ number: Int) throws {
        #expect(try RedisURL("redis://h/\(text)").database == number)
        #expect(try RedisURL("unix:/s?db=\(text)").database == number)
    }

    @Test("anything else is no database", arguments: ["1000000000", "x", "1/", "+1", "/1"])
    func notDatabases(_ text: String) {
        #expect(throws: RedisURLError.malformedDatabase) { try RedisURL("redis://h/\(text)") }
        #expect(throws: RedisURLError.malformedDatabase) { try RedisURL("unix:/s?db=\(text)") }
    }

    @Test(
        "user and password are decoded once, byte by byte, and empty ones are none",
        arguments: [
            ("u:p", "u", "p"), ("%75:%70", "u", "p"), ("u:%2570", "u", "%70"), ("u:a@b", "u", "a@b"),
            (":", nil, nil), ("u:", "u", nil), (":p", nil, "p"), ("", nil, nil), ("u:%3a%3A", "u", "::"),
        ] as [(String, String?, String?)])
    func credentials(_ text: String, _ user: String?, _ password: String?) throws {
        let url = try RedisURL("redis://\(text)@h")
        #expect(url.user == user)
        #expect(url.password == password.map { Array($0.utf8) })
    }

    @Test("a password may be any bytes, a user is text")
    func anyBytes() throws {
        #expect(try RedisURL("redis://:%00%FF@h").password == [0, 0xFF])
        #expect(throws: RedisURLError.malformedCredentials) { try RedisURL("redis://%FF@h") }
    }

    @Test(
        "a percent sign without two hexadecimal digits is refused", arguments: ["%", "%4", "%4g", "%g4", "a%", "%%41"])
    func badPercent(_ text: String) {
        #expect(throws: RedisURLError.malformedCredentials) { try RedisURL("redis://u:\(text)@h") }
        #expect(throws: RedisURLError.malformedCredentials) { try RedisURL("redis://\(text):p@h") }
    }

    @Test("blanks and controls are nowhere in an address", arguments: [" ", "\t", "\n", "\r", "\0", "\u{7F}"])
    func controls(_ text: String) {
        for address in ["redis://h\(text)", "redis://u:\(text)@h", "\(text)redis://h", "unix:/a\(text)b"] {
            #expect(throws: RedisURLError.malformed) { try RedisURL(address) }
        }
    }

    @Test(
        "a path of a socket is absolute",
        arguments: [("unix:/s", "/s"), ("unix:///s", "/s"), ("unix:/a/b%20c", "/a/b%20c"), ("unix:////s", "//s")])
    func sockets(_ text: String, _ path: String) throws {
        let url = try RedisURL(text)
        #expect(url.endpoint == .unix(path: path) && !url.usesTLS && url.user == nil && url.password == nil)
    }

    @Test("anything else is no path of a socket", arguments: ["unix:", "unix:s", "unix://", "unix://s", "unix:?db=1"])
    func notSockets(_ text: String) {
        #expect(throws: RedisURLError.malformed) { try RedisURL(text) }
    }
}

@Suite("The pause before the next attempt, at the edges")
struct ReconnectBackoffEdgeTests {
    @Test("settings that make no sense are mended: at least a nanosecond, and a cap that is no less than the base")
    func mended() {
        let none = ReconnectBackoff(base: 0, cap: 0, floor: -5)
        #expect(none.base == 1 && none.cap == 1 && none.floor == 0)
        let low = ReconnectBackoff(base: 500, cap: 100)
        #expect(low.ceiling == 500)
    }

    @Test("the ceiling doubles exactly, thirty times at most")
    func doubling() {
        var random = SeededRandom(seed: 1)
        var backoff = ReconnectBackoff(base: 3, cap: .max, floor: 0)
        for power in 0..<40 {
            #expect(backoff.ceiling == 3 << Int64(min(power, 30)))
            _ = backoff.next(using: &random)
        }
        backoff.ended(after: .max)
        #expect(backoff.ceiling == 3)
    }

    @Test("waits are spread evenly below the ceiling: no quarter is preferred")
    func even() {
        var quarters = [0, 0, 0, 0]
        for seed in 0..<4000 as Range<UInt64> {
            var random = SeededRandom(seed: seed)
            var backoff = ReconnectBackoff(base: 400, cap: 400, floor: 0)
            let wait = backoff.next(using: &random)
            quarters[min(3, Int(wait) / 100)] += 1
        }
        #expect(quarters.allSatisfy { (850...1150).contains($0) }, "\(quarters)")
    }

    @Test("the floor is kept even where it is above the ceiling")
    func floor() {
        var random = SeededRandom(seed: 1)
        var backoff = ReconnectBackoff(base: 5, cap: 5, floor: 1000)
        for _ in 0..<20 { #expect(backoff.next(using: &random) == 1000) }
    }

    @Test("a link that ended early, or was never up, does not start anew", arguments: [Nanoseconds.min, -1, 0, 99])
    func early(_ uptime: Nanoseconds) {
        var random = SeededRandom(seed: 1)
        var backoff = ReconnectBackoff(base: 10, cap: 1000, stableAfter: 100)
        _ = backoff.next(using: &random)
        backoff.ended(after: uptime)
        #expect(backoff.ceiling == 20)
        backoff.ended(after: 100)
        #expect(backoff.ceiling == 10)
    }
}

@Suite("First in, first out, at the edges")
struct ReplyQueueEdgeTests {
    @Test("an empty queue gives nothing, changes nothing and goes on")
    func empty() {
        var queue = ReplyQueue<Int>()
        #expect(queue.removeFirst() == nil)
        #expect(queue.first == nil && queue.isEmpty)
        queue.update { $0 += 1 }
        queue.append(1)
        #expect(queue.removeFirst() == 1)
        #expect(queue.removeFirst() == nil)
        #expect(queue.count == 0)
    }

    @Test("what has been taken is let go at once, not with the memory")
    func release() {
        final class Thing {}
        weak var first: Thing?
        var queue = ReplyQueue<Thing>()
        do {
            let thing = Thing()
            first = thing
            queue.append(thing)
        }
        queue.append(Thing())
        #expect(first != nil)
        _ = queue.removeFirst()
        #expect(first == nil && queue.count == 1)
    }

    @Test("order and changes survive every give-back of memory", arguments: [1023, 1024, 1025, 2049, 5000])
    func giveBack(_ count: Int) {
        var queue = ReplyQueue<Int>()
        for number in 0..<count { queue.append(number) }
        for number in 0..<count {
            #expect(queue.first == number)
            if queue.removeFirst() != number { Issue.record("\(number)") }
            if number == count / 2 { queue.update { $0 = -$0 } }
            if number >= count / 2 { break }
        }
        var rest: [Int] = []
        while let element = queue.removeFirst() { rest.append(-element) }
        #expect(rest == Array((count / 2 + 1)..<count))
        queue.append(7)
        #expect(queue.first == 7)
    }
}
