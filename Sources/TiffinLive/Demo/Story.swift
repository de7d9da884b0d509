import Glibc
import TiffinLiveCore

/// What the server is for, shown by real clients in about half a minute. Every step looks at what came and throws when
/// it is not what the contract promises.
final class Story {
    /// Not the rider of the commands to paste, so that a suspension that is pasted does not spoil the story.
    static let rider = "5520"
    private static let order = "/orders/123/events"
    private static let riderSocket = "/rider/socket"
    private static let patience = 10.0

    private let demo: DemoServer
    private let progress: DemoProgress
    private let narrator: Narrator
    /// Number of the last event of order 123 that the customer has seen.
    private var lastSeen = 0

    init(_ demo: DemoServer, _ progress: DemoProgress, _ narrator: Narrator) {
        self.demo = demo
        self.progress = progress
        self.narrator = narrator
    }

    func tell() throws(StoryError) {
        do {
            let stream = try customerOpens()
            try strangersAreRefused()
            let socket = try riderConnects(life: 20)
            let forgetful = try openSocket(Self.rider, life: 20)
            try riderGetsOffer(socket)
            try riderRefreshes(socket)
            try streamExpires(stream)
            try customerResumes(after: stream.lastEventID)
            try riderIsSuspended()
            try forgetfulExpires(forgetful, beside: socket)
        } catch let error as StoryError {
            throw error
        } catch {
            throw StoryError("\(error)")
        }
    }

    // MARK: The customer

    private func customerOpens() throws -> EventStreamClient {
        let started = Deadline(after: Self.patience)
        while progress.published == 0, !started.hasPassed { poll(nil, 0, 20) }
        guard progress.published > 0 else { throw StoryError("no event could be published") }
        let stream = try openStream("7001", life: 12)
        let event = try nextEvent(of: stream)
        lastSeen = try number(of: event)
        narrator.say(
            "EVENT       customer 7001 opens order 123 with a token of 12 s and gets: \(event.name) \(event.data)")
        return stream
    }

    private func streamExpires(_ stream: EventStreamClient) throws {
        let deadline = Deadline(after: 15)
        while let event = try stream.next(by: deadline) {
            guard event.name == "close" else {
                try see(event)
                continue
            }
            guard event.json?["code"] == 4001 else { throw StoryError("the stream was closed with \(event.data)") }
            guard try stream.next(by: deadline) == nil else { throw StoryError("an event came after the close") }
            narrator.say("EXPIRY      customer 7001's stream ends before its token does: \(event.data)")
            return
        }
        throw StoryError("the stream ended without saying why")
    }

    private func customerResumes(after id: String?) throws {
        guard let id else { throw StoryError("the events had no ids") }
        let (seen, now) = (lastSeen, progress.published)
        let away = Deadline(after: Self.patience)
        while progress.published < now + 3, !away.hasPassed { poll(nil, 0, 50) }
        let missed = progress.published
        let stream = try openStream("7001", life: DemoServer.tokenLife, lastEventID: id)
        while lastSeen <= missed { try see(try nextEvent(of: stream)) }
        narrator.say(
            "RESUME      customer 7001 comes back with a new token and Last-Event-ID \(id): "
                + "the \(missed - seen) missed events, then live, none lost and none twice")
    }

    // MARK: Refusals

    private func strangersAreRefused() throws {
        try expect("401 token_expired", try refusal("7001", life: -60))
        narrator.say("REFUSAL     an expired token: 401 token_expired")
        let stranger = try refusal("7002", life: DemoServer.tokenLife)
        guard stranger.status == 403 else {
            throw StoryError("a stranger's order was answered with \(stranger.summary)")
        }
        narrator.say("REFUSAL     customer 7002 asks for order 123, which is somebody else's: \(stranger.summary)")
    }

    // MARK: The riders

    private func riderConnects(life: Int) throws -> WebSocketClient {
        let socket = try openSocket(Self.rider, life: life)
        narrator.say("WELCOME     rider \(Self.rider) opens a WebSocket with a token of \(life) s and is welcomed")
        return socket
    }

    private func riderGetsOffer(_ socket: WebSocketClient) throws {
        let offer = try message("event", from: socket, within: Self.patience)
        guard offer["topic"] == .string("riders:\(Self.rider)"), offer["event"] == "offer" else {
            throw StoryError("the rider got \(JSONWriter.text(offer))")
        }
        narrator.say("EVENT       rider \(Self.rider) gets an offer: \(JSONWriter.text(offer["data"] ?? .null))")
    }

    private func riderRefreshes(_ socket: WebSocketClient) throws {
        let warning = try message("expiring", from: socket, within: 20)
        narrator.say("WARNING     rider \(Self.rider) hears that the token runs out: \(JSONWriter.text(warning))")
        try socket.send(["type": "auth", "token": .string(try demo.token(Self.rider, "rider"))])
        let answer = try message("auth", from: socket, within: Self.patience)
        guard answer["ok"] == true else { throw StoryError("the refresh was answered with \(JSONWriter.text(answer))") }
        narrator.say("REFRESH     rider \(Self.rider) sends a new token on the open socket: \(JSONWriter.text(answer))")
    }

    private func riderIsSuspended() throws {
        let token = try demo.token("5522", "rider")
        guard case .opened(let socket) = try WebSocketClient.open(demo.address, Self.riderSocket, token: token) else {
            throw StoryError("rider 5522 was refused")
        }
        _ = try message("welcome", from: socket, within: Self.patience)
        let start = Deadline.now()
        try demo.admin.revoke(user: "5522", reason: "suspended")
        let close = try close(of: socket, within: Self.patience)
        let tenths = Int((Deadline.now() - start) * 10_000)
        guard close.code == 4003 else { throw StoryError("the suspended rider was closed with \(close.code)") }
        narrator.say(
            "SUSPENSION  rider 5522 is suspended: closed with 4003 \(close.reason), "
                + "\(tenths / 10).\(tenths % 10) ms after the word was given")
        guard case .refused(let response) = try WebSocketClient.open(demo.address, Self.riderSocket, token: token)
        else {
            throw StoryError("the suspended rider came back with the same token")
        }
        try expect("401 revoked", response)
        narrator.say("REFUSAL     rider 5522 tries the same token again, which has not expired: 401 revoked")
    }

    private func forgetfulExpires(_ forgetful: WebSocketClient, beside socket: WebSocketClient) throws {
        let close = try close(of: forgetful, within: 20)
        guard close.code == 4001 else { throw StoryError("the socket without a refresh was closed with \(close.code)") }
        try socket.send(["type": "ping"])
        _ = try message("pong", from: socket, within: Self.patience)
        narrator.say(
            "EXPIRY      rider \(Self.rider)'s other socket was never refreshed: closed with 4001 \(close.reason); "
                + "the refreshed one goes on")
        try socket.leave(by: Deadline(after: Self.patience))
    }
}

// MARK: - Looking at what comes

extension Story {
    private func openStream(_ user: String, life: Int, lastEventID: String? = nil) throws -> EventStreamClient {
        let token = try demo.token(user, "customer", life: life)
        switch try EventStreamClient.open(demo.address, Self.order, token: token, lastEventID: lastEventID) {
        case .refused(let response):
            throw StoryError("customer \(user) was refused with \(response.summary)")
        case .opened(let stream):
            let welcome = try stream.next(by: Deadline(after: Self.patience))
            guard welcome?.name == "welcome" else { throw StoryError("the stream began without a welcome") }
            return stream
        }
    }

    private func openSocket(_ user: String, life: Int) throws -> WebSocketClient {
        let token = try demo.token(user, "rider", life: life)
        switch try WebSocketClient.open(demo.address, Self.riderSocket, token: token) {
        case .refused(let response):
            throw StoryError("rider \(user) was refused with \(response.summary)")
        case .opened(let socket):
            let welcome = try message("welcome", from: socket, within: Self.patience)
            guard welcome["user"] == .string(user) else { throw StoryError("the welcome was for somebody else") }
            return socket
        }
    }

    private func refusal(_ user: String, life: Int) throws -> ClientResponse {
        let token = try demo.token(user, "customer", life: life)
        guard case .refused(let response) = try EventStreamClient.open(demo.address, Self.order, token: token) else {
            throw StoryError("customer \(user) was let in")
        }
        return response
    }

    private func expect(_ summary: String, _ response: ClientResponse) throws {
        guard response.summary == summary else {
            throw StoryError("the answer was \(response.summary) in place of \(summary)")
        }
    }

    private func nextEvent(of stream: EventStreamClient) throws -> EventStreamClient.Event {
        guard let event = try stream.next(by: Deadline(after: Self.patience)), event.name != "close" else {
            throw StoryError("the stream ended too early")
        }
        return event
    }

    /// Checks that this is the event after the last one that was seen.
    private func see(_ event: EventStreamClient.Event) throws {
        // One that was published by hand.
        if event.name == "note" { return }
        let number = try number(of: event)
        guard number == lastSeen + 1 else { throw StoryError("event \(number) came after event \(lastSeen)") }
        lastSeen = number
    }

    private func number(of event: EventStreamClient.Event) throws -> Int {
        guard let number = event.json?["n"]?.numberValue?.int64, event.id != nil else {
            throw StoryError("an event came that nobody published: \(event.name) \(event.data)")
        }
        return Int(number)
    }

    /// The next message of this type; others are passed over.
    private func message(_ type: String, from socket: WebSocketClient, within seconds: Double) throws -> JSONValue {
        let deadline = Deadline(after: seconds)
        while true {
            guard case .text(let text) = try socket.next(by: deadline) else {
                throw StoryError("the socket was closed before \(type) came")
            }
            let value = try JSONReader.read(Array(text.utf8))
            if value["type"] == .string(type) { return value }
        }
    }

    private func close(of socket: WebSocketClient, within seconds: Double) throws -> (code: Int, reason: String) {
        let deadline = Deadline(after: seconds)
        while true {
            if case .closed(let code, let reason) = try socket.next(by: deadline) { return (code, reason) }
        }
    }
}
