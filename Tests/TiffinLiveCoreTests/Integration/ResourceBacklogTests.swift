import Glibc
import Testing

@testable import TiffinLiveCore

/// Peers that take less than they are sent (contract section 7.9), and what waits for them.
@Suite("Slow readers", .enabled(if: ServerProcess.isBuilt))
struct ResourceBacklogTests {
    private static let megabyte = 1 << 20

    /// Events numbered from `first`, each about `size` bytes, in one request.
    private func publish(_ server: ServerProcess, _ range: Range<Int>, size: Int, topic: String = "riders:5521") throws
    {
        let filling = String(repeating: "x", count: size)
        let events = range.map { #"{"topic":"\#(topic)","data":"\#($0) \#(filling)"}"# }
        let response = try server.admin("/publish", "[\(events.joined(separator: ","))]")
        guard response.status == 200 else { throw UnexpectedAnswer(what: "publish: \(response.status)") }
    }

    /// The number at the front of an event's data.
    private func number(_ text: String) throws -> Int {
        let data = try JSONReader.read(Array(text.utf8))["data"]?.stringValue ?? ""
        return Int(data.split(separator: " ").first ?? "") ?? -1
    }

    @Test("five megabytes reach a reader of a few kilobytes at a time whole and in order, and then the processor idles")
    func slowReader() throws {
        let server = try ServerProcess([#"limits.outbound="16MiB""#, #"heartbeat.ping="0s""#])
        let client = try server.rider(receiveBuffer: 4096)
        for start in stride(from: 0, to: 2500, by: 250) { try publish(server, start..<(start + 250), size: 2048) }
        try eventually("a queue") { (try server.metric("tiffin_live_queued_bytes") ?? 0) > Double(Self.megabyte) }
        for expected in 0..<2500 {
            if expected < 200 { usleep(2000) }
            let text = try client.receiveText()
            #expect(try number(text) == expected)
            #expect(text.utf8.count > 2048)
        }
        try eventually("an empty queue") { try server.metric("tiffin_live_queued_bytes") == 0 }
        #expect(try server.processorShare(overMilliseconds: 1000) < 0.2)
        // Sending goes on without anything from the client.
        try publish(server, 2500..<2501, size: 10)
        #expect(try number(try client.receiveText()) == 2500)
    }

    @Test("some who stop reading get 4008 as their last frame, and all others get everything")
    func stalled() throws {
        let server = try ServerProcess(["limits.perUser=0", #"limits.closing="10m""#, #"heartbeat.ping="0s""#])
        let stalled = try (0..<5).map { _ in try server.rider(receiveBuffer: 4096) }
        let good = try (0..<45).map { _ in try server.rider() }
        var memory = 0
        for start in stride(from: 0, to: 1500, by: 25) {
            try publish(server, start..<(start + 25), size: 2048)
            for client in good {
                for expected in start..<(start + 25) { #expect(try number(try client.receiveText()) == expected) }
            }
            if start == 750 { memory = try server.residentBytes() }
        }
        #expect(try SanitizedRun.isActive || server.residentBytes() < memory + 4 * Self.megabyte)
        #expect(try server.metric(#"tiffin_live_closes_total{reason="too_slow"}"#) == 5)
        #expect(try server.openSessions() == 45)
        for client in stalled {
            var expected = 0
            var frame = try client.receiveFrame()
            while frame.opcode == RawFrame.text {
                #expect(try number(frame.text) == expected)
                expected += 1
                frame = try client.receiveFrame()
            }
            #expect(frame.opcode == RawFrame.close)
            #expect(Array(frame.payload.prefix(2)) == [UInt8(4008 >> 8), UInt8(4008 & 0xFF)])
            #expect(expected < 1500)
            try client.sendClose(4008)
            #expect(try client.expectEnd() == .finished)
        }
    }

    @Test("a backlog that fits ends nobody")
    func fitting() throws {
        let server = try ServerProcess([#"heartbeat.ping="0s""#])
        let client = try server.rider(receiveBuffer: 4096)
        for start in stride(from: 0, to: 110, by: 10) { try publish(server, start..<(start + 10), size: 2048) }
        #expect(try server.openSessions() == 1)
        for expected in 0..<110 { #expect(try number(try client.receiveText()) == expected) }
    }

    @Test("one event larger than the limit ends who does not read with 4008, and is memory for a moment only")
    func largeEvent() throws {
        let server = try ServerProcess([#"limits.closing="60s""#, #"limits.outbound="64KiB""#, #"heartbeat.ping="0s""#])
        let client = try server.rider(receiveBuffer: 4096)
        // The kernel takes its part of it; the second finds no room at all.
        for number in 0..<8 { try publish(server, number..<(number + 1), size: 900_000) }
        #expect(try server.openSessions() == 0)
        #expect(try server.metric(#"tiffin_live_closes_total{reason="too_slow"}"#) == 1)
        #expect(try client.expectClose(passingOverMessages: true).code == 4008)
        try client.sendClose(4008)
        #expect(try client.expectEnd() == .finished)
        #expect(try server.metric("tiffin_live_queued_bytes") == 0)
    }

    @Test("pings without end from somebody who never reads leave one pong to send, and no memory behind")
    func pings() throws {
        let server = try ServerProcess([#"heartbeat.ping="0s""#])
        let client = try server.rider(receiveBuffer: 4096)
        let count = 1000
        let ping = RawFrame(opcode: RawFrame.ping, payload: Array(repeating: 0x70, count: 125)).encoded(key: [
            9, 8, 7, 6,
        ])
        let pings = (0..<count).flatMap { _ in ping }
        for _ in 0..<20 { try client.send(pings) }
        let memory = try server.residentBytes()
        let rounds = Volume.count(80, full: 980)
        for _ in 0..<rounds { try client.send(pings) }
        try client.sendPing("last")
        try eventually("all pings to be read") {
            try server.metric("tiffin_live_received_bytes_total") ?? 0 > Double((20 + rounds) * count * ping.count)
        }
        #expect(try SanitizedRun.isActive || server.residentBytes() < memory + 2 * Self.megabyte)
        #expect(try server.metric("tiffin_live_queued_bytes") ?? .infinity < Double(256 << 10))
        #expect(try server.openSessions() == 1)
        // What comes at last answers the last ping (RFC 6455 section 5.5.3), and pongs are all there is.
        var pongs = 0
        var frame = try client.receiveFrame()
        while frame.text != "last" {
            #expect(frame.opcode == RawFrame.pong)
            pongs += 1
            frame = try client.receiveFrame()
        }
        #expect(pongs < (20 + rounds) * count)
    }
}
