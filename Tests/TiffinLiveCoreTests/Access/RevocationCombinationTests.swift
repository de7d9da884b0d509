import Testing

@testable import TiffinLiveCore

private let wall: Nanoseconds = 1_764_500_000 * .second
private let hour: Nanoseconds = 3600 * .second

/// Which of the four members a revocation names, as bits.
private func revocation(_ form: Int, issuedBefore: Nanoseconds? = nil) -> Revocation {
    Revocation(
        user: form & 1 != 0 ? "u" : nil, tokenID: form & 2 != 0 ? "j" : nil, session: form & 4 != 0 ? "s" : nil,
        role: form & 8 != 0 ? "r" : nil, issuedBefore: issuedBefore)
}

/// A token that differs in the members of `others`.
private func token(other others: Int = 0, issuedAt: Nanoseconds? = wall) -> ClaimsSet {
    identity(
        others & 1 != 0 ? "v" : "u", role: others & 8 != 0 ? "q" : "r", session: others & 4 != 0 ? "t" : "s",
        tokenID: others & 2 != 0 ? "k" : "j", issuedAt: issuedAt)
}

@Suite("Every way of naming somebody")
struct RevocationCombinationTests {
    @Test("a token is refused exactly when all that is named is its own", arguments: 1...15)
    func forms(form: Int) {
        var list = RevocationList(maximumLifetime: hour)
        list.insert(revocation(form), wall: wall)
        for others in 0..<16 {
            let isMeant = form & others == 0
            #expect(list.refuses(token(other: others)) == isMeant, "others \(others)")
            #expect(revocation(form).matches(token(other: others), at: wall) == isMeant, "others \(others)")
        }
    }

    @Test("a token without jti or session is no match for one that names them", arguments: 1...15)
    func absent(form: Int) {
        var list = RevocationList(maximumLifetime: hour)
        list.insert(revocation(form), wall: wall)
        let bare = identity("u", role: "r", issuedAt: wall)
        #expect(list.refuses(bare) == (form & 6 == 0))
        #expect(revocation(form).matches(bare, at: wall) == (form & 6 == 0))
    }

    @Test("entries of all ways stand beside each other, and each is dropped by itself")
    func beside() {
        var list = RevocationList(maximumLifetime: hour)
        for form in 1...15 { list.insert(revocation(form), wall: wall + Nanoseconds(form) * .second) }
        #expect(list.count == 15)
        for form in 1...15 { list.insert(revocation(form), wall: wall) }
        #expect(list.count == 15, "the same again is no second entry")
        #expect(list.refuses(token(issuedAt: wall + 15 * .second)))
        #expect(list.refuses(token(other: 4, issuedAt: wall + 11 * .second)))
        // Only a jti is meant for ever: without one nothing but the moment counts.
        #expect(!list.refuses(token(other: 6, issuedAt: wall + 10 * .second)))
        #expect(list.refuses(token(other: 6, issuedAt: wall + 9 * .second)))
    }

    @Test("when the last entry of a way has left, those of others still count")
    func formCounts() {
        var list = RevocationList(maximumLifetime: 100 * .second)
        list.insert(Revocation(user: "a"), wall: wall)
        list.insert(Revocation(user: "b"), wall: wall)
        list.insert(Revocation(session: "s"), wall: wall + 50 * .second)
        list.prune(wall: wall + 160 * .second, steps: 1)
        #expect(!list.refuses(identity("a")) && list.refuses(identity("b")))
        list.prune(wall: wall + 160 * .second, steps: 9)
        #expect(!list.refuses(identity("b")))
        #expect(list.refuses(identity("c", session: "s")))
        #expect(list.count == 1)
    }
}

@Suite("Moments of revocations")
struct RevocationMomentTests {
    @Test(
        "the second of the revocation counts whole",
        arguments: [
            (wall, wall + .second - 1, true), (wall, wall + .second, false), (wall + .second - 1, wall, true),
            (wall + .second - 1, wall + .second, false), (0, .second - 1, true), (0, .second, false),
        ] as [(Nanoseconds, Nanoseconds, Bool)])
    func seconds(_ moment: Nanoseconds, _ issued: Nanoseconds, _ isMeant: Bool) {
        let claims = identity("u", issuedAt: issued)
        #expect(Revocation.isIssued(claims, atOrBefore: moment) == isMeant)
        #expect(Revocation(user: "u").matches(claims, at: moment) == isMeant)
        #expect(Revocation(user: "u", issuedBefore: moment).matches(claims, at: .max) == isMeant)
        var list = RevocationList(maximumLifetime: hour)
        list.insert(Revocation(user: "u"), wall: moment)
        #expect(list.refuses(claims) == isMeant)
    }

    @Test("with a jti the moment is the end of time, unless it is said")
    func moments() {
        #expect(Revocation(user: "u").moment(at: 5) == 5)
        #expect(Revocation(session: "s").moment(at: 5) == 5)
        #expect(Revocation(tokenID: "j").moment(at: 5) == .max)
        #expect(Revocation(user: "u", tokenID: "j").moment(at: 5) == .max)
        #expect(Revocation(tokenID: "j", issuedBefore: 3).moment(at: 5) == 3)
        #expect(Revocation(user: "u", issuedBefore: 9).moment(at: 5) == 9)
    }

    @Test("of two revocations of the same one the later moment and the longer memory count, in either order")
    func merged() {
        let far = Revocation(user: "u", issuedBefore: wall + 500 * .second)
        let plain = Revocation(user: "u")
        for order in [[far, plain], [plain, far]] {
            var list = RevocationList(maximumLifetime: 100 * .second)
            for revocation in order { list.insert(revocation, wall: wall) }
            #expect(list.count == 1)
            #expect(list.refuses(identity("u", issuedAt: wall + 500 * .second)))
            list.prune(wall: wall + 659 * .second, steps: 9)
            #expect(list.count == 1)
            list.prune(wall: wall + 660 * .second, steps: 9)
            #expect(list.count == 0)
        }
    }

    @Test("a revocation that is repeated is as young as the repetition, and its neighbours leave before it")
    func renewed() {
        var list = RevocationList(maximumLifetime: 100 * .second, capacity: 3)
        for user in ["a", "b", "c"] { list.insert(Revocation(user: user), wall: wall) }
        list.insert(Revocation(user: "a"), wall: wall + 100 * .second)
        list.insert(Revocation(user: "d"), wall: wall + 100 * .second)
        #expect(list.count == 3)
        #expect(list.refuses(identity("a")) && !list.refuses(identity("b")) && list.refuses(identity("c")))
        list.prune(wall: wall + 160 * .second, steps: 9)
        #expect(list.count == 2)
        #expect(list.refuses(identity("a")) && !list.refuses(identity("c")) && list.refuses(identity("d")))
    }

    @Test("an entry serves to the very nanosecond of lifetime and margin")
    func until() {
        var list = RevocationList(maximumLifetime: 100 * .second)
        list.insert(Revocation(user: "u"), wall: wall)
        list.prune(wall: wall + 160 * .second - 1, steps: 9)
        #expect(list.count == 1)
        list.prune(wall: wall + 160 * .second, steps: 9)
        #expect(list.count == 0)
    }

    @Test("an issued_before in the past is remembered from the revocation on, not from then")
    func pastIssuedBefore() {
        var list = RevocationList(maximumLifetime: 100 * .second)
        list.insert(Revocation(user: "u", issuedBefore: wall - 1000 * .second), wall: wall)
        list.prune(wall: wall + 159 * .second, steps: 9)
        #expect(list.refuses(identity("u", issuedAt: wall - 1000 * .second)))
        #expect(!list.refuses(identity("u", issuedAt: wall - 999 * .second)))
    }

    @Test("a revocation has at most 64 KiB, to the byte")
    func size() throws {
        func json(_ count: Int) -> [UInt8] {
            let head = #"{"user_id":"u","x":""#
            return Array((head + String(repeating: "x", count: count - head.utf8.count - 2) + "\"}").utf8)
        }
        #expect(json(65_536).count == 65_536)
        #expect(try Revocation.read(json(65_536)) == Revocation(user: "u"))
        #expect(throws: RevocationError.tooLarge) { try Revocation.read(json(65_537)) }
    }

    @Test("no steps drop nothing, and a capacity of none is one", arguments: [0, -1, Int.min])
    func nothing(_ number: Int) {
        var list = RevocationList(maximumLifetime: .second, capacity: number)
        list.insert(Revocation(user: "a"), wall: 0)
        list.prune(wall: .max, steps: number)
        #expect(list.count == 1)
        list.insert(Revocation(user: "b"), wall: 0)
        #expect(list.count == 1)
        #expect(list.refuses(identity("b")) && !list.refuses(identity("a")))
    }
}
