import Testing

@testable import TiffinLiveCore

private let wall: Nanoseconds = 1_764_500_000 * .second

private func read(_ json: String) -> Result<Revocation, RevocationError> {
    do throws(RevocationError) {
        return .success(try Revocation.read(Array(json.utf8)))
    } catch {
        return .failure(error)
    }
}

@Suite("Reading revocations (contract 7.6)")
struct RevocationReadingTests {
    @Test("reads every member and ignores others")
    func members() {
        let json =
            #"{"user_id":"5521","jti":"j","session":"s","role":"rider","issued_before":1764500000.5,"reason":"x","more":[1]}"#
        let expected = Revocation(
            user: "5521", tokenID: "j", session: "s", role: "rider", issuedBefore: wall + 500 * .millisecond,
            reason: "x")
        #expect(read(json) == .success(expected))
    }

    @Test("a user id is text or an integer of any size, as it is written")
    func userIDs() {
        #expect(read(#"{"user_id":5521}"#) == .success(Revocation(user: "5521")))
        #expect(read(#"{"user_id":-1}"#) == .success(Revocation(user: "-1")))
        let large = "123456789012345678901234567890"
        #expect(read(#"{"user_id":\#(large)}"#) == .success(Revocation(user: large)))
        #expect(read(#" {"user_id":"a b"} "#) == .success(Revocation(user: "a b")))
    }

    @Test(
        "refuses members of the wrong type or value",
        arguments: [
            #"{"user_id":null}"#, #"{"user_id":true}"#, #"{"user_id":""}"#, #"{"user_id":1.5}"#, #"{"user_id":1e3}"#,
            #"{"user_id":[]}"#, #"{"jti":5}"#, #"{"jti":""}"#, #"{"session":{}}"#, #"{"user_id":1,"role":null}"#,
            #"{"user_id":1,"role":""}"#, #"{"user_id":1,"issued_before":"1"}"#, #"{"user_id":1,"issued_before":-1}"#,
            #"{"user_id":1,"issued_before":null}"#, #"{"user_id":1,"issued_before":1e999}"#,
            #"{"user_id":1,"reason":1}"#,
        ])
    func badMembers(json: String) {
        guard case .failure(.badMember) = read(json) else {
            Issue.record("\(json): \(read(json))")
            return
        }
    }

    @Test("refuses what is no JSON object, what names nobody, and what is too large (B46)")
    func malformed() {
        for json in ["", "{", "user", #"{"user_id":1,"user_id":2}"#, "{\"user_id\":\"\u{1}\"}", "\u{FEFF}{}"] {
            #expect(read(json) == .failure(.notJSON))
        }
        for json in ["[]", "1", "\"5521\"", "null", #"[{"user_id":1}]"#] {
            #expect(read(json) == .failure(.notAnObject))
        }
        for json in ["{}", #"{"role":"rider"}"#, #"{"userid":1}"#, #"{"issued_before":1}"#] {
            #expect(read(json) == .failure(.namesNobody))
        }
        let large = #"{"user_id":1,"x":""# + String(repeating: "x", count: 1 << 20) + "\"}"
        #expect(read(large) == .failure(.tooLarge))
        #expect(
            read(#"{"user_id":1,"x":"\#(String(repeating: "x", count: 65_000))"}"#) == .success(Revocation(user: "1")))
    }

    @Test("a long reason is cut, and every error says what is wrong")
    func details() {
        let long = String(repeating: "r", count: 1000)
        guard case .success(let revocation) = read(#"{"user_id":1,"reason":"\#(long)"}"#) else {
            Issue.record("not read")
            return
        }
        #expect(revocation.reason?.count == 128)
        let errors: [RevocationError] = [.tooLarge, .notJSON, .notAnObject, .namesNobody, .badMember("jti")]
        #expect(Set(errors.map(\.description)).count == errors.count)
    }
}

@Suite("Whom a revocation meets")
struct RevocationMatchingTests {
    @Test("everything that it names must match")
    func members() {
        let claims = identity("5521", role: "rider", session: "s", tokenID: "j", issuedAt: wall - .second)
        #expect(Revocation(user: "5521").matches(claims, at: wall))
        #expect(Revocation(user: "5521", role: "rider").matches(claims, at: wall))
        #expect(Revocation(user: "5521", tokenID: "j", session: "s", role: "rider").matches(claims, at: wall))
        #expect(!Revocation(user: "5522").matches(claims, at: wall))
        #expect(!Revocation(user: "5521", role: "customer").matches(claims, at: wall))
        #expect(!Revocation(user: "5521", tokenID: "k").matches(claims, at: wall))
        #expect(!Revocation(session: "t").matches(claims, at: wall))
        #expect(!Revocation(tokenID: "j", session: "t").matches(claims, at: wall))
        #expect(!Revocation(tokenID: "j").matches(identity("5521"), at: wall))
    }

    @Test("tokens issued later are not meant; the same second is, and so is a token that does not say")
    func moments() {
        let revocation = Revocation(user: "5521")
        func issued(_ moment: Nanoseconds?) -> ClaimsSet { identity("5521", issuedAt: moment) }
        let moment = wall + 300 * .millisecond
        #expect(revocation.matches(issued(wall - 3600 * .second), at: moment))
        #expect(revocation.matches(issued(wall), at: moment))
        #expect(revocation.matches(issued(wall + 999 * .millisecond), at: moment))
        #expect(!revocation.matches(issued(wall + .second), at: moment))
        #expect(revocation.matches(issued(nil), at: moment))
    }

    @Test("issued_before takes the place of the moment of the revocation")
    func issuedBefore() {
        let revocation = Revocation(user: "5521", issuedBefore: wall - 100 * .second)
        #expect(revocation.matches(identity("5521", issuedAt: wall - 100 * .second), at: wall))
        #expect(!revocation.matches(identity("5521", issuedAt: wall - 99 * .second), at: wall))
        #expect(revocation.matches(identity("5521"), at: wall))
    }

    @Test("a jti means its token whatever clock it was issued by")
    func tokenID() {
        let late = identity("5521", tokenID: "j", issuedAt: wall + 4 * .second)
        #expect(Revocation(tokenID: "j").matches(late, at: wall))
        #expect(!Revocation(tokenID: "j", issuedBefore: wall).matches(late, at: wall))
        #expect(!Revocation(session: "s").matches(identity("1", session: "s", issuedAt: wall + 4 * .second), at: wall))
    }
}

@Suite("Remembered revocations")
struct RevocationListTests {
    @Test("a revoked token does not get back in, a newer one does")
    func refuses() {
        var list = RevocationList(maximumLifetime: 3600 * .second)
        #expect(!list.refuses(identity("5521", issuedAt: wall)))
        list.insert(Revocation(user: "5521"), wall: wall)
        #expect(list.refuses(identity("5521", issuedAt: wall)))
        #expect(list.refuses(identity("5521")))
        #expect(!list.refuses(identity("5521", issuedAt: wall + .second)))
        #expect(!list.refuses(identity("5522", issuedAt: wall)))
    }

    @Test("a later revocation of the same user moves the moment, an earlier one that was missed does not move it back")
    func merging() {
        var list = RevocationList(maximumLifetime: 3600 * .second)
        list.insert(Revocation(user: "5521"), wall: wall + 100 * .second)
        list.insert(Revocation(user: "5521"), wall: wall)
        #expect(list.count == 1)
        #expect(list.refuses(identity("5521", issuedAt: wall + 50 * .second)))
    }

    @Test("any combination of names agrees with matching one by one", arguments: 1...30)
    func agreement(seed: Int) {
        var random = SeededRandom(seed: UInt64(seed))
        var list = RevocationList(maximumLifetime: 3600 * .second)
        var all: [(Revocation, Nanoseconds)] = []
        func text(_ random: inout SeededRandom) -> String? {
            Bool.random(using: &random) ? nil : "\(Int.random(in: 0..<4, using: &random))"
        }
        for _ in 0..<12 {
            let moment = wall + Nanoseconds.random(in: 0..<20 * .second, using: &random)
            let revocation = Revocation(
                user: text(&random), tokenID: text(&random), session: text(&random), role: text(&random),
                issuedBefore: Bool.random(using: &random) ? nil : moment - 5 * .second)
            guard revocation.user != nil || revocation.tokenID != nil || revocation.session != nil else { continue }
            list.insert(revocation, wall: moment)
            all.append((revocation, moment))
        }
        for _ in 0..<300 {
            let claims = identity(
                text(&random) ?? "0", role: text(&random) ?? "", session: text(&random), tokenID: text(&random),
                issuedAt: Bool.random(using: &random)
                    ? nil : wall + Nanoseconds.random(in: 0..<30 * .second, using: &random))
            #expect(list.refuses(claims) == all.contains { $0.0.matches(claims, at: $0.1) })
        }
    }

    @Test("it is kept for as long as a token may live, and then dropped in bounded steps")
    func pruning() {
        var list = RevocationList(maximumLifetime: 100 * .second)
        for user in 0..<10 { list.insert(Revocation(user: "\(user)"), wall: wall) }
        list.prune(wall: wall + 100 * .second, steps: 100)
        #expect(list.count == 10)
        list.prune(wall: wall + 161 * .second, steps: 4)
        #expect(list.count == 6)
        list.prune(wall: wall + 161 * .second, steps: 100)
        #expect(list.count == 0)
        #expect(!list.refuses(identity("1")))
    }

    @Test("one that reaches far into the future does not keep the others from leaving")
    func longLived() {
        var list = RevocationList(maximumLifetime: 100 * .second)
        list.insert(Revocation(user: "far", issuedBefore: wall + 1_000_000 * .second), wall: wall)
        for user in 0..<5 { list.insert(Revocation(user: "\(user)"), wall: wall) }
        list.prune(wall: wall + 200 * .second, steps: 10)
        #expect(list.count == 1)
        #expect(list.refuses(identity("far", issuedAt: wall + 300 * .second)))
        list.prune(wall: wall + 200 * .second, steps: 1000)
        #expect(list.count == 1)
    }

    @Test("it is bounded, and the ends of the clock trap nothing")
    func bounded() {
        var list = RevocationList(maximumLifetime: 100 * .second, capacity: 5)
        for user in 0..<50 { list.insert(Revocation(user: "\(user)", role: user % 2 == 0 ? "r" : nil), wall: wall) }
        #expect(list.count == 5)
        #expect(list.refuses(identity("49")))
        #expect(!list.refuses(identity("1")))
        list.insert(Revocation(user: "x", issuedBefore: .max), wall: .max)
        list.insert(Revocation(user: "y"), wall: .min)
        list.prune(wall: .max, steps: 3)
        list.prune(wall: .min, steps: 3)
        var forever = RevocationList(maximumLifetime: 0)
        forever.insert(Revocation(user: "x"), wall: wall)
        forever.prune(wall: .max, steps: 10)
        #expect(forever.refuses(identity("x", issuedAt: wall)))
    }

    @Test("users whose ids only look equal are told apart")
    func exactBytes() {
        var list = RevocationList(maximumLifetime: 100 * .second)
        list.insert(Revocation(user: "caf\u{E9}"), wall: wall)
        #expect(list.refuses(identity("caf\u{E9}")))
        #expect(!list.refuses(identity("cafe\u{301}")))
    }
}
