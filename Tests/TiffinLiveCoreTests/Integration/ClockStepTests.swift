import Glibc
import Testing

@testable import TiffinLiveCore

/// Clock steps and sleeping machines (contract section 7.2): the deadline is kept on both clocks, whichever passes first
/// decides, and everything else goes by the monotonic clock.
@Suite("Clock steps and suspended machines")
struct ClockStepTests {
    private let clock = SteppedClock()

    private func server(_ settings: [String] = []) throws -> LiveServer {
        try LiveServer([#"expiry.jitter="0s""#] + settings, clock: clock)
    }

    @Test("a wall clock set one hour ahead ends tokens of fifteen minutes before any further event")
    func oneHourAhead() throws {
        let server = try server()
        let clients = try (0..<20).map { try server.rider("u\($0)") }
        clock.stepWall(by: 3600 * .second)
        for index in clients.indices { try server.publish("riders:u\(index)", "1") }
        for client in clients {
            let close = try client.expectCloseAndEnd()
            #expect(close.code == 4001)
            #expect(close.reason == "token_expired")
        }
        #expect(try !server.logObjects("clock_stepped").isEmpty)
    }

    @Test("an event stream ends with its close event when the wall clock jumps past the token")
    func streamAhead() throws {
        let server = try server()
        let stream = try server.customer()
        clock.stepWall(by: 3600 * .second)
        try server.publish("orders:123", "1")
        let event = try #require(try stream.nextEvent())
        #expect(event.event == "close")
        #expect(event.data == #"{"code":4001,"reason":"token_expired"}"#)
        #expect(try stream.nextEvent() == nil)
        #expect(stream.ending == .lastChunk)
    }

    @Test(
        "a wall clock set back extends nothing and ends nothing",
        arguments: [-3600 * Nanoseconds.second, -10 * Nanoseconds.second])
    func setBack(step: Nanoseconds) throws {
        let server = try server([#"heartbeat.ping="0s""#, #"expiry.warning="0s""#])
        let client = try server.rider(ttl: 900)
        clock.stepWall(by: step)
        try server.settle()
        #expect(try client.isQuiet(forMilliseconds: 0))
        try server.publish("riders:5521", #""still here""#)
        #expect(try client.receiveText().contains("still here"))
        try server.advance(clock, by: 898 * .second, step: 449 * .second)
        #expect(try client.isQuiet(forMilliseconds: 0))
        try server.advance(clock, by: 2 * .second)
        try server.publish("riders:5521", #""too late""#)
        #expect(try client.expectCloseAndEnd().code == 4001)
    }

    @Test("a token that ended while the machine slept is closed before any event, though monotonic time stood still")
    func suspended() throws {
        let server = try server([#"heartbeat.ping="0s""#, #"expiry.warning="0s""#])
        let (short, long) = (try server.rider("u1", ttl: 60), try server.rider("u2", ttl: 900))
        clock.stepWall(by: 120 * .second)
        try server.publish("riders:u1", "1")
        try server.publish("riders:u2", "2")
        #expect(try short.expectCloseAndEnd().code == 4001)
        #expect(try long.receiveText().contains(#""data":2"#))
        // What is left of the long one is what the wall clock leaves of it.
        // `exp` is a whole second, up to one before what was asked for.
        try server.advance(clock, by: 778 * .second, step: 100 * .second)
        #expect(try long.framesSoFar().allSatisfy { $0.opcode != RawFrame.close })
        try server.advance(clock, by: 2 * .second)
        #expect(try long.expectClose(passingOverMessages: true).code == 4001)
    }

    @Test(
        "no step of the wall clock moves a ping or ends a connection by silence",
        arguments: [3600, -3600, 600, -10] as [Nanoseconds])
    func heartbeats(seconds: Nanoseconds) throws {
        let server = try server([#"tokens.maxLifetime="5h""#, #"expiry.maxAge="6h""#, #"expiry.warning="0s""#])
        let client = try server.rider(ttl: 5 * 3600)
        try server.advance(clock, by: 15 * .second)
        clock.stepWall(by: seconds * .second)
        try server.settle()
        #expect(try client.framesSoFar().isEmpty)
        try server.advance(clock, by: 10 * .second)
        #expect(try client.framesSoFar().map(\.opcode) == [RawFrame.ping])
        try client.sendPong()
        try server.advance(clock, by: 15 * .second)
        #expect(try client.framesSoFar().isEmpty)
    }

    @Test("after a long sleep there is one ping, not one for each that was missed")
    func noBurst() throws {
        let server = try server([#"tokens.maxLifetime="5h""#, #"expiry.warning="0s""#])
        let client = try server.rider(ttl: 5 * 3600)
        clock.advance(by: 3600 * .second)
        try server.settle()
        try server.settle()
        #expect(try client.framesSoFar().map(\.opcode) == [RawFrame.ping])
        try client.sendPong()
        try server.publish("riders:5521", "1")
        #expect(try client.receiveText().contains(#""data":1"#))
    }

    @Test("a pong that arrived while the machine slept is read before anybody is called dead")
    func pongDuringSleep() throws {
        let server = try server([#"tokens.maxLifetime="5h""#, #"expiry.warning="0s""#])
        let client = try server.rider(ttl: 5 * 3600)
        try server.advance(clock, by: 25 * .second)
        #expect(try client.framesSoFar().map(\.opcode) == [RawFrame.ping])
        clock.advance(by: 600 * .second)
        try client.sendPong()
        try server.settle()
        try server.settle()
        try server.publish("riders:5521", "1")
        #expect(try client.receiveText().contains(#""data":1"#))
    }

    @Test("a token of the past is refused, and one that a set clock made valid again is not taken for a new one")
    func handshakes() throws {
        let server = try server()
        let token = server.token(ttl: 60)
        let headers = [("Authorization", "Bearer \(token)")]
        #expect(try server.connect().upgrade("/rider/socket", headers: headers).status == 101)
        clock.stepWall(by: 61 * .second)
        #expect(try server.connect().upgrade("/rider/socket", headers: headers).text == #"{"error":"token_expired"}"#)
        clock.stepWall(by: -61 * .second)
        #expect(try server.connect().upgrade("/rider/socket", headers: headers).status == 101)
    }
}

/// The same from outside: the process is stopped as a sleeping machine stops it.
@Suite("A process that was stopped", .enabled(if: ServerProcess.isBuilt))
struct ClockStoppedProcessTests {
    @Test("tokens that ended while the process stood still are closed with 4001 before any further event")
    func stopped() throws {
        let server = try ServerProcess([#"expiry.jitter="0s""#])
        let clients = try (0..<10).map { try server.rider("u\($0)", ttl: 6) }
        let lasting = try server.rider("lasting")
        let publisher = try RawClient(port: server.adminPort)
        server.standStill()
        let events =
            (0..<10).map { #"{"topic":"riders:u\#($0)","data":1}"# } + [#"{"topic":"riders:lasting","data":2}"#]
        let body = Array("[\(events.joined(separator: ","))]".utf8)
        try publisher.send(RawClient.requestHead("POST", "/publish", bodyLength: body.count) + body)
        usleep(6_200_000)
        server.signal(SIGCONT)
        #expect(try publisher.receiveResponse().status == 200)
        for client in clients { #expect(try client.expectCloseAndEnd(passingOverMessages: false).code == 4001) }
        #expect(try lasting.receiveText().contains(#""data":2"#))
    }
}
