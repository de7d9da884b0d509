import Testing

@testable import TiffinLiveCore

@Suite("A whole server on loopback")
struct ServerTests {
    @Test("a rider is welcomed, gets an event, refreshes, and is thrown off")
    func rider() throws {
        let server = try LiveServer()
        let client = try server.rider()
        let id = try server.publish("riders:5521", #"{"order":981}"#, event: "offer")
        let event = try client.receiveText()
        #expect(event == #"{"type":"event","topic":"riders:5521","id":"\#(id)","event":"offer","data":{"order":981}}"#)
        try client.sendText(#"{"type":"auth","token":"\#(server.token(ttl: 600))"}"#)
        #expect(try client.receiveText().hasPrefix(#"{"type":"auth","ok":true,"expires_in":"#))
        try client.sendText(#"{"type":"accept","ref":"7","offer":981,"user_id":"1"}"#)
        #expect(try client.receiveText() == #"{"type":"ack","ref":"7"}"#)
        let closed = try server.admin("/revoke", #"{"user_id":5521,"reason":"suspended"}"#)
        #expect(String(decoding: closed.body, as: UTF8.self) == #"{"closed":1}"#)
        let (code, reason) = try client.expectCloseAndEnd()
        #expect(code == 4003)
        #expect(reason == "revoked")
        let again = try server.connect().upgrade(
            "/rider/socket", headers: [("Authorization", "Bearer \(server.token())")])
        #expect(again.status == 401)
        #expect(String(decoding: again.body, as: UTF8.self) == #"{"error":"revoked"}"#)
    }

    @Test("a customer follows an order, and resumes without a gap")
    func customer() throws {
        let server = try LiveServer()
        try server.admin("/store", #"{"command":["HSET","order:123","customer_id","7001"]}"#)
        let token = server.token("7001", role: "customer")
        let stream = try server.connect().openEventStream("/orders/123/events", token: token)
        let welcome = try #require(try stream.nextEvent())
        #expect(welcome.event == "welcome")
        let first = try server.publish("orders:123", #"{"state":"cooking"}"#)
        let event = try #require(try stream.nextEvent())
        #expect(event.id == first)
        #expect(event.data == #"{"state":"cooking"}"#)
        let second = try server.publish("orders:123", "\"on its way\"")
        let resumed = try server.connect().openEventStream(
            "/orders/123/events", token: token, lastEventID: first)
        #expect(try resumed.nextEvent()?.id == first)
        let missed = try #require(try resumed.nextEvent())
        #expect(missed.id == second)
        #expect(missed.data == "on its way")
        let other = try server.connect().get("/orders/124/events", headers: [("Authorization", "Bearer \(token)")])
        #expect(other.status == 403)
    }

    @Test("a short token ends with 4001 before it expires")
    func expiry() throws {
        let server = try LiveServer()
        let expiresAt = server.now + 5
        let client = try server.rider(ttl: 5)
        let (code, reason) = try client.expectCloseAndEnd(passingOverMessages: true)
        #expect(code == 4001)
        #expect(reason == "token_expired")
        #expect(Clock.now().wall <= expiresAt * .second)
    }
}
