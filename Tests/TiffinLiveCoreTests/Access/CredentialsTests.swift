import Testing

@testable import TiffinLiveCore

private func request(
    query: [(String, String)] = [], fields: [(name: String, value: String)] = []
) -> HTTPRequest {
    HTTPRequest(
        method: "GET",
        target: RequestTarget(
            path: "/x", segments: ["x"], query: query.map { RequestTarget.QueryItem(name: $0.0, value: $0.1) }),
        fields: HTTPFields(fields))
}

private func read(_ request: HTTPRequest, _ accepts: CredentialKinds = [.bearer, .ticket]) -> Result<
    Credentials, CredentialsError
> {
    do throws(CredentialsError) {
        return .success(try Credentials.read(request, accepts: accepts))
    } catch {
        return .failure(error)
    }
}

private func bearer(_ text: String) -> Credentials { .bearer(Array(text.utf8)) }

@Suite("Credentials of a handshake")
struct CredentialsTests {
    @Test("takes a bearer token whatever the case of the scheme", arguments: ["Bearer", "bearer", "BEARER", "bEaReR"])
    func scheme(scheme: String) {
        let read = read(request(fields: [("Authorization", "\(scheme) eyJh.eyJz.c2ln")]))
        #expect(read == .success(bearer("eyJh.eyJz.c2ln")))
    }

    @Test(
        "refuses a bearer token that is no token68",
        arguments: [
            "Bearer", "Bearer ", "Bearer a b", "Bearer =", "Bearer a=b", "Bearer \"a\"", "Bearer é", "Bearer a\tb",
        ])
    func malformed(value: String) {
        #expect(read(request(fields: [("authorization", value)])) == .failure(.malformedBearer))
    }

    @Test("takes every byte of token68", arguments: ["azAZ09-._~+/", "a=", "a==", "YWJj"])
    func token68(text: String) {
        #expect(read(request(fields: [("authorization", "Bearer  \(text)")])) == .success(bearer(text)))
    }

    @Test("another scheme is no credential", arguments: ["Basic YTpi", "Bearerx a", "Beare a", "", "Token a"])
    func otherScheme(value: String) {
        #expect(read(request(fields: [("authorization", value)])) == .failure(.missing))
    }

    @Test("two Authorization fields, or one that was joined, leave open which counts")
    func repeated() {
        let same = [(name: "authorization", value: "Bearer a"), (name: "Authorization", value: "Bearer a")]
        #expect(read(request(fields: same)) == .failure(.repeatedAuthorization))
        #expect(read(request(fields: [("authorization", "Bearer a, Bearer b")])) == .failure(.repeatedAuthorization))
        let withTicket = request(query: [("ticket", "t")], fields: same)
        #expect(read(withTicket, .ticket) == .failure(.repeatedAuthorization))
    }

    @Test("the bearer token counts before the ticket, and only what the route takes counts at all")
    func precedence() {
        let both = request(query: [("ticket", "t")], fields: [("authorization", "Bearer a")])
        #expect(read(both) == .success(bearer("a")))
        #expect(read(both, .ticket) == .success(.ticket("t")))
        #expect(read(both, .bearer) == .success(bearer("a")))
        #expect(read(both, .cookie) == .failure(.missing))
        #expect(read(request(query: [("ticket", "t")]), .bearer) == .failure(.missing))
        #expect(read(request()) == .failure(.missing))
    }

    @Test("a ticket twice is one ticket, two that differ are refused")
    func tickets() {
        #expect(read(request(query: [("ticket", "t"), ("ticket", "t")])) == .success(.ticket("t")))
        #expect(read(request(query: [("ticket", "t"), ("ticket", "T")])) == .failure(.differingTickets))
        #expect(read(request(query: [("Ticket", "t")])) == .failure(.missing))
        #expect(
            read(request(query: [("ticket", String(repeating: "t", count: 256))]))
                == .success(.ticket(String(repeating: "t", count: 256))))
    }

    @Test("a malformed ticket is an invalid one", arguments: ["", " ", "a b", "a\u{0}", "é", "\u{7F}"])
    func badTicket(ticket: String) {
        #expect(read(request(query: [("ticket", ticket)])) == .failure(.malformedTicket))
        let long = String(repeating: "t", count: 257)
        #expect(read(request(query: [("ticket", long)])) == .failure(.malformedTicket))
    }

    @Test(
        "a token in the URL is refused even beside a good credential",
        arguments: [
            ("token", "x"), ("access_token", ""), ("jwt", "1"), ("bearer", "a"), ("authorization", "b"), ("TOKEN", "x"),
            ("Access_Token", "x"), ("ticket", "eyJh.eyJz.c2ln"), ("q", "eyJh.eyJz.c2ln"),
            ("q", "Bearer eyJh.eyJz.c2ln"),
            ("q", "eyJhbGciOiJub25lIn0.e30."), ("eyJh.eyJz.c2ln", ""), ("q", "eyJh.a.b.c.d"),
        ])
    func tokenInURL(name: String, value: String) {
        let request = request(
            query: [("last_event_id", "1-0"), (name, value)], fields: [("authorization", "Bearer a")])
        #expect(read(request) == .failure(.tokenInURL))
    }

    @Test(
        "other query items are nobody's business",
        arguments: ["eyJ", "eyJh.eyJz", "xeyJ.a.b", "1764500000000-0", "a.b.c"])
    func harmless(value: String) {
        let request = request(query: [("last_event_id", value)], fields: [("authorization", "Bearer a")])
        #expect(read(request) == .success(bearer("a")))
    }

    @Test("every error has its status and word")
    func errors() {
        let expected: [(CredentialsError, Int, String)] = [
            (.repeatedAuthorization, 400, "bad_request"), (.differingTickets, 400, "bad_request"),
            (.tokenInURL, 400, "token_in_url"), (.missing, 401, "missing_token"),
            (.malformedBearer, 401, "invalid_token"), (.malformedTicket, 401, "ticket_invalid"),
        ]
        for (error, status, code) in expected {
            #expect(error.status == status)
            #expect(error.code == code)
        }
    }

    @Test("kinds have the names of the configuration")
    func kinds() {
        #expect(CredentialKinds(name: "bearer") == .bearer)
        #expect(CredentialKinds(name: "ticket") == .ticket)
        #expect(CredentialKinds(name: "cookie") == .cookie)
        #expect(CredentialKinds(name: "Bearer") == nil)
    }
}
