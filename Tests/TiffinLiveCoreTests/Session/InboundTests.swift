import Testing

@testable import TiffinLiveCore

@Suite("Contract 8: messages of an app")
struct InboundTests {
    @Test(
        "an application message goes to the backends with the connection's identity, and is acknowledged when they have it"
    )
    func handedOver() throws {
        let harness = try SessionHarness()
        let client = try harness.openWebSocket()
        harness.advance(seconds: 3)
        client.send(text: #"{"type":"accept","ref":"7","offer":981}"#)
        #expect(client.pending.isEmpty, "nothing is acknowledged that could be lost")
        let message = try #require(client.handedOver.first)
        #expect(message.user == "5521")
        #expect(message.role == "rider")
        #expect(message.connection == client.session.id)
        #expect(message.type == "accept")
        #expect(message.ref == "7")
        #expect(String(decoding: message.body, as: UTF8.self) == #"{"type":"accept","ref":"7","offer":981}"#)
        #expect(message.at == harness.now.wall)
        client.perform { $0.inboundTaken(ref: message.ref, isTaken: true, $1) }
        #expect(try client.texts() == [#"{"type":"ack","ref":"7"}"#])
    }

    @Test("when they cannot take it the answer is unavailable")
    func notTaken() throws {
        let client = try SessionHarness().openWebSocket()
        client.send(text: #"{"type":"accept","ref":7}"#)
        client.perform { $0.inboundTaken(ref: 7, isTaken: false, $1) }
        #expect(try client.texts() == [#"{"type":"error","error":"unavailable","ref":7}"#])
    }

    @Test("with as many messages unanswered as are let, no more is read until one is answered")
    func backPressure() throws {
        let client = try SessionHarness(["limits.messages={rate:0,burst:0}"]).openWebSocket()
        for number in 1...Session.unacknowledgedLimit {
            #expect(client.session.wantsInput)
            client.send(text: #"{"type":"n","ref":\#(number)}"#)
        }
        #expect(!client.session.wantsInput)
        client.perform { $0.inboundTaken(ref: 1, isTaken: true, $1) }
        #expect(client.session.wantsInput)
        client.send(text: #"{"type":"n","ref":"last"}"#)
        #expect(!client.session.wantsInput)
        client.perform { $0.inboundTaken(ref: 2, isTaken: false, $1) }
        #expect(client.session.wantsInput)
        #expect(client.handedOver.count == Session.unacknowledgedLimit + 1)
    }

    @Test("what came in one read is all handed over, and the end is read for even while answers are due")
    func endWhileUnanswered() throws {
        let harness = try SessionHarness(["limits.messages={rate:0,burst:0}"])
        let client = try harness.openWebSocket()
        let count = 3 * Session.unacknowledgedLimit
        client.send(Array(repeating: ClientFrame.text(#"{"type":"n"}"#), count: count).bytes)
        #expect(client.handedOver.count == count)
        #expect(!client.session.wantsInput)
        client.perform { $0.disconnect(.restart, $1) }
        #expect(client.session.wantsInput, "unread input would turn the close into a reset")
        for _ in 0..<count { client.perform { $0.inboundTaken(ref: nil, isTaken: true, $1) } }
        #expect(try client.close().code == 1012)
    }

    @Test("an answer that comes after the end says nothing")
    func afterTheEnd() throws {
        let client = try SessionHarness().openWebSocket()
        client.send(.text(#"{"type":"accept"}"#), .close(1000))
        #expect(try client.close().code == 1000)
        client.perform { $0.inboundTaken(ref: nil, isTaken: true, $1) }
        try client.expectEnd()
    }

    @Test(
        "members that claim an identity are taken out at the top level, however they are written",
        arguments: [
            (#"{"type":"x","user_id":1}"#, #"{"type":"x"}"#),
            (#"{"user_id":1,"type":"x","rider_id":"2","a":3}"#, #"{"type":"x","a":3}"#),
            (#"{"type":"x","customer_id":{},"restaurant_id":[1],"sub":null}"#, #"{"type":"x"}"#),
            (#"{"type":"x","\u0075ser_id":1}"#, #"{"type":"x"}"#),
            (#"{"type":"x","User_ID":1,"user_id ":2}"#, #"{"type":"x","User_ID":1,"user_id ":2}"#),
            (#"{"type":"x","inner":{"user_id":1}}"#, #"{"type":"x","inner":{"user_id":1}}"#),
            (
                #"{"type":"x","n":1.50,"big":123456789012345678901234567890}"#,
                #"{"type":"x","n":1.50,"big":123456789012345678901234567890}"#
            ),
            (#" { "type" : "x" , "s" : "\u00e9\n" } "#, #"{"type":"x","s":"é\n"}"#),
        ])
    func identityMembers(sent: String, handed: String) throws {
        let client = try SessionHarness().openWebSocket()
        client.send(text: sent)
        #expect(client.handedOver.map { String(decoding: $0.body, as: UTF8.self) } == [handed])
    }

    @Test("the names of those members are the configuration's")
    func configuredMembers() throws {
        let harness = try SessionHarness([#"inbound={identityMembers:["who"]}"#])
        let client = try harness.openWebSocket()
        client.send(text: #"{"type":"x","who":1,"user_id":2}"#)
        #expect(client.handedOver.map { String(decoding: $0.body, as: UTF8.self) } == [#"{"type":"x","user_id":2}"#])
    }

    @Test("where a route takes none they are refused and go nowhere")
    func notAccepted() throws {
        let harness = try SessionHarness()
        harness.own("123", by: "7001")
        let client = try harness.openWebSocket("/orders/123/events", token: harness.token("7001", role: "customer"))
        client.send(text: #"{"type":"accept","ref":"7"}"#)
        #expect(try client.texts() == [#"{"type":"error","error":"not_accepted","ref":"7"}"#])
        #expect(client.handedOver.isEmpty)
        client.send(text: #"{"type":"ping","ref":8}"#)
        #expect(try client.texts() == [#"{"type":"pong","ref":8}"#])
    }

    @Test(
        "text that is no JSON object with a type is bad_message, and the connection goes on",
        arguments: [
            "", "x", "[]", "{}", #"{"type":1}"#, #"{"type":"ping","type":"ping"}"#,
        ])
    func badMessage(text: String) throws {
        let client = try SessionHarness().openWebSocket()
        client.send(text: text)
        client.send(text: #"{"type":"ping"}"#)
        #expect(try client.texts() == [#"{"type":"error","error":"bad_message"}"#, #"{"type":"pong"}"#])
    }

    @Test("bad_message names the reference when there is one")
    func badMessageReference() throws {
        let client = try SessionHarness().openWebSocket()
        client.send(text: #"{"type":"subscribe","ref":"7"}"#)
        #expect(try client.texts() == [#"{"type":"error","error":"bad_message","ref":"7"}"#])
    }

    @Test("a binary message is 1003", arguments: [[], [0], Array(#"{"type":"ping"}"#.utf8)] as [[UInt8]])
    func binary(payload: [UInt8]) throws {
        let client = try SessionHarness().openWebSocket()
        client.send(.binary(payload))
        let close = try client.close()
        #expect(close.code == 1003)
        #expect(close.reason.hasPrefix("unsupported_data"))
    }

    @Test("a message of exactly the limit is taken, one byte more is 1009 (B10)", arguments: [0, 1])
    func limit(over: Int) throws {
        let harness = try SessionHarness(["limits.message=\"1KiB\""])
        let client = try harness.openWebSocket()
        let frame = #"{"type":"x","a":""}"#
        let padding = String(repeating: "x", count: 1024 - frame.utf8.count + over)
        client.send(text: #"{"type":"x","a":"\#(padding)"}"#)
        if over == 0 {
            #expect(client.handedOver.count == 1)
        } else {
            #expect(try client.close().code == 1009)
        }
    }
}
