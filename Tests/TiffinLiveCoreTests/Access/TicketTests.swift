import Testing

@testable import TiffinLiveCore

@Suite("Contract 4: what tickets and session ids stand for")
struct TicketTests {
    private static let wall: Nanoseconds = 1_764_500_000 * .second
    private let policy = TokenPolicy(keptClaims: ["restaurants", "sub2"])

    private func read(_ text: String) -> Result<Ticket?, JWTError> {
        Result { () throws(JWTError) in try Ticket.read(Array(text.utf8), policy: policy, wall: Self.wall) }
    }

    @Test(
        "a ticket that was sold gives back its buyer, end and path",
        arguments: [nil, "/restaurants/88/events"], [0, 1, 999_999_999, 500_000_000])
    func roundTrip(path: String?, rest: Int64) throws {
        let buyer = ClaimsSet(
            user: "ü\"5521", role: "restaurant", session: "s", tokenID: "j", issuedAt: Self.wall - rest,
            expiresAt: Self.wall + 900 * .second + rest,
            extra: ["restaurants": ["88", "89"], "exp": ["never"], "path": ["/"]])
        let ticket = try Ticket.read(Ticket.value(of: buyer, path: path), policy: policy, wall: Self.wall)
        guard case .sold(let claims, let bound)? = ticket else {
            Issue.record("not sold: \(String(describing: ticket))")
            return
        }
        #expect(bound == path)
        #expect(claims.user == buyer.user)
        #expect(claims.role == buyer.role)
        #expect(claims.session == buyer.session)
        #expect(claims.tokenID == buyer.tokenID)
        #expect(claims.extra == buyer.extra)
        // A double of seconds is good for less than a microsecond.
        #expect(abs(claims.expiresAt - buyer.expiresAt) < .microsecond)
        #expect(abs(try #require(claims.issuedAt) - Self.wall + rest) < .microsecond)
    }

    @Test("an end beyond all times stays one", arguments: [Nanoseconds.max, 9_100_000_000 * .second])
    func farEnd(end: Nanoseconds) throws {
        let policy = TokenPolicy(maximumLifetime: 0)
        let value = Ticket.value(of: ClaimsSet(user: "u", expiresAt: end), path: nil)
        guard case .sold(let claims, _)? = try Ticket.read(value, policy: policy, wall: Self.wall) else {
            Issue.record("not sold")
            return
        }
        #expect(claims.expiresAt >= 9_000_000_000 * .second)
    }

    @Test("a ticket whose buyer's token has expired meanwhile is expired")
    func expired() {
        let buyer = ClaimsSet(user: "u", expiresAt: Self.wall)
        let value = String(decoding: Ticket.value(of: buyer, path: nil), as: UTF8.self)
        guard case .failure(.expired) = read(value) else {
            Issue.record("not expired")
            return
        }
    }

    @Test(
        "a value of another kind is no ticket (B79)",
        arguments: [
            "", " ", "88 ", "a:b", "..", "[1]", "\"88\"", "{}", "{", #"{"sub":"1","exp":1764500900}"#,
            #"{"sub":"1","path":null}"#, #"{"exp":1764500900,"path":null}"#, String(repeating: "8", count: 129),
        ])
    func noTicket(value: String) {
        switch read(value) {
        case .success(nil), .failure: break
        case .success(let ticket?): Issue.record("\(ticket)")
        }
    }

    @Test("a plain value opens the one path whose variable it is")
    func plain() throws {
        let table = RouteTable([
            try Route(
                pattern: PathPattern("/restaurants/{restaurant}/events"), transports: .eventStream,
                topics: [Template("restaurants:{restaurant}")], credentials: .ticket),
            try Route(
                pattern: PathPattern("/restaurants/{restaurant}/tables/{table}"), transports: .eventStream,
                topics: [Template("tables:{table}")], credentials: .ticket),
            try Route(
                pattern: PathPattern("/mine/{restaurant}"), transports: .eventStream,
                topics: [Template("restaurants:{restaurant}"), Template("riders:{sub}")], credentials: .ticket),
            try Route(
                pattern: PathPattern("/mine"), transports: .eventStream, topics: [Template("riders:{sub}")],
                credentials: .ticket),
        ])
        func bearer(_ path: String, _ value: String) throws -> ClaimsSet? {
            let match = try #require(table.match(path.split(separator: "/").map(String.init)))
            return Ticket.bearer(ofPlain: value, match, policy: policy, wall: Self.wall)
        }
        let claims = try #require(try bearer("restaurants/88/events", "88"))
        #expect(claims.user == "restaurant:88", "no user of a token has that name in a topic or a key")
        #expect(claims.role.isEmpty)
        #expect(claims.issuedAt == Self.wall)
        #expect(claims.expiresAt == Self.wall + 3600 * .second)
        #expect(try bearer("restaurants/89/events", "88") == nil)
        #expect(try bearer("restaurants/088/events", "88") == nil)
        #expect(try bearer("restaurants/88/tables/88", "88") == nil, "two variables, of which one is anybody's")
        #expect(try bearer("mine/88", "88") == nil, "a topic of a user")
        #expect(try bearer("mine", "88") == nil)
    }

    @Test("a session is read by the rules for tokens, whatever its members are called there")
    func session() throws {
        let odd = TokenPolicy(
            issuers: ["x"], audience: "y", userClaim: "uid", roleClaim: "r", keptClaims: ["restaurants"])
        func read(_ text: String) -> Result<ClaimsSet, JWTError> {
            Result { () throws(JWTError) in try StoredIdentity.read(Array(text.utf8), policy: odd, wall: Self.wall) }
        }
        let good = #"{"sub":7001,"role":"restaurant","exp":1764500900,"restaurants":["88",89],"theme":"dark"}"#
        let claims = try read(good).get()
        #expect(claims.user == "7001")
        #expect(claims.role == "restaurant")
        #expect(claims.expiresAt == 1_764_500_900 * .second)
        #expect(claims.extra == ["restaurants": ["88", "89"]])
        for (text, expected) in [
            (#"{"sub":"1","exp":1764500000}"#, JWTError.expired), (#"{"sub":"1"}"#, .expirationMissing),
            (#"{"sub":"1","exp":"1764500900"}"#, .expirationInvalid), (#"{"exp":1764500900}"#, .userMissing),
            (#"{"sub":"1","exp":1764600000}"#, .lifetimeTooLong),
            (#"{"sub":"1","sub":"2","exp":1764500900}"#, .claimsNotJSON),
            ("88", .claimsNotJSON), ("", .claimsNotJSON),
            (#"{"sub":"1","exp":1764500900,"nbf":1764500100}"#, .notYetValid),
            (String(repeating: " ", count: 16 * 1024) + "{}", .tooLarge),
        ] {
            guard case .failure(let error) = read(text) else {
                Issue.record("accepted: \(text)")
                continue
            }
            #expect(error == expected, "\(text)")
        }
    }
}
