import Testing

@testable import TiffinLiveCore

@Suite("Contract 8: a route with echo obeys nothing")
struct EchoTests {
    static let settings = [
        #"routes={"/echo":{transports:["websocket"],topics:[],echo:true}}"#, "limits.messages={rate:0,burst:0}",
    ]

    private func open(_ harness: SessionHarness, ttl: Int64 = 900) throws -> HarnessClient {
        try harness.openWebSocket("/echo", token: harness.token(ttl: ttl), isWelcomed: false)
    }

    @Test(
        "every text and binary message comes back as it is",
        arguments: [
            ClientFrame.text(""), .text("x"), .text(#"{"type":"auth","token":"x"}"#), .text(#"{"type":"ping"}"#),
            .text(#"{"type":"subscribe","topic":"riders:5521"}"#), .binary([]), .binary([0, 255, 1]),
            .binary([UInt8](repeating: 7, count: 60_000)),
        ])
    func echoes(frame: ClientFrame) throws {
        let harness = try SessionHarness(Self.settings)
        let client = try open(harness)
        #expect(client.pending.isEmpty, "no welcome")
        client.send(frame)
        #expect(try client.frames() == [RawFrame(opcode: frame.opcode, payload: frame.payload)])
        #expect(client.topics.isEmpty)
        #expect(client.refreshed.isEmpty)
        #expect(client.handedOver.isEmpty)
    }

    @Test("fragments come back as one message")
    func fragments() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try open(harness)
        client.send(
            .text("a", isFinal: false), .continuation([0x62], isFinal: false), .ping("p"), .continuation([0x63]))
        #expect(
            try client.frames() == [
                RawFrame(opcode: RawFrame.pong, payload: [0x70]),
                RawFrame(opcode: RawFrame.text, payload: Array("abc".utf8)),
            ])
    }

    @Test("says nothing of its own, not even before the end, which comes all the same")
    func silent() throws {
        let harness = try SessionHarness(Self.settings)
        let client = try open(harness)
        harness.advance(seconds: 839)
        #expect(client.pending.isEmpty)
        harness.advance(seconds: 61)
        #expect(try client.close().code == 4001)
    }

    @Test(
        "invalid text is 1007 and not echoed",
        arguments: [[0xC3, 0x28], [0xED, 0xA0, 0x80], [0xFF], [0xC3]] as [[UInt8]])
    func invalid(payload: [UInt8]) throws {
        let harness = try SessionHarness(Self.settings)
        let client = try open(harness)
        client.send(ClientFrame(opcode: 1, payload: payload))
        #expect(try client.close().code == 1007)
    }
}
