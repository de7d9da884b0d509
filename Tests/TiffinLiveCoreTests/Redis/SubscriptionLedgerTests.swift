import Testing

@testable import TiffinLiveCore

private func key(_ channel: String) -> [UInt8] { Array(channel.utf8) }

private func subscribe(_ channel: String) -> SubscriptionLedger.Order { .subscribe(key(channel)) }
private func unsubscribe(_ channel: String) -> SubscriptionLedger.Order { .unsubscribe(key(channel)) }

private func linked() -> SubscriptionLedger {
    var ledger = SubscriptionLedger()
    _ = ledger.linked()
    return ledger
}

@Suite("The ledger of channels")
struct SubscriptionLedgerTests {
    @Test("without a link wishes are only noted, and one that is taken back leaves nothing")
    func unlinked() {
        var ledger = SubscriptionLedger()
        #expect(ledger.want("a") == nil)
        #expect(ledger.want("b") == nil)
        #expect(ledger.release("b") == nil)
        #expect(ledger.wantedCount == 1 && ledger.count == 1)
        #expect(!ledger.isSettled)
        #expect(ledger.standing(of: "a") == .idle)
        #expect(ledger.linked() == [subscribe("a")])
        #expect(ledger.standing(of: "a") == .subscribing)
    }

    @Test("a link with no wishes is settled, none is not")
    func settled() {
        var ledger = SubscriptionLedger()
        #expect(!ledger.isSettled)
        #expect(ledger.linked() == [])
        #expect(ledger.isSettled)
        ledger.unlinked()
        #expect(!ledger.isSettled)
    }

    @Test("a subscription goes through its standings, in force only at the end")
    func standings() {
        var ledger = linked()
        #expect(ledger.want("a") == subscribe("a"))
        #expect(!ledger.isInForce("a") && !ledger.isSettled && ledger.channel(key("a")) == nil)
        #expect(ledger.confirmedSubscription(key("a")) == .init(established: "a", order: nil))
        #expect(ledger.isInForce("a") && ledger.isSettled && ledger.channel(key("a")) == "a")
        #expect(ledger.standing(of: "a") == .subscribed)
        #expect(ledger.release("a") == unsubscribe("a"))
        #expect(!ledger.isInForce("a") && ledger.isSettled && ledger.channel(key("a")) == nil)
        #expect(ledger.standing(of: "a") == .unsubscribing && ledger.count == 1 && ledger.wantedCount == 0)
        #expect(ledger.confirmedEnd(key("a")) == nil)
        #expect(ledger.count == 0 && ledger.standing(of: "a") == .idle)
    }

    @Test("a wish taken back while it is under way ends with its confirmation, and is never called established")
    func takenBack() {
        var ledger = linked()
        _ = ledger.want("a")
        #expect(ledger.release("a") == nil)
        #expect(ledger.isSettled, "nothing is wanted")
        #expect(ledger.confirmedSubscription(key("a")) == .init(established: nil, order: unsubscribe("a")))
        #expect(ledger.confirmedEnd(key("a")) == nil)
        #expect(ledger.count == 0)
    }

    @Test("a wish that comes back while the end is under way is subscribed after it, and deaf until then")
    func comesBack() {
        var ledger = linked()
        _ = ledger.want("a")
        _ = ledger.confirmedSubscription(key("a"))
        _ = ledger.release("a")
        #expect(ledger.want("a") == nil)
        #expect(ledger.channel(key("a")) == nil && !ledger.isSettled && ledger.wantedCount == 1)
        #expect(ledger.confirmedEnd(key("a")) == subscribe("a"))
        #expect(ledger.confirmedSubscription(key("a")).established == "a")
        #expect(ledger.isSettled)
    }

    @Test("wanting and releasing again and again orders once", arguments: [0, 1, 2, 7])
    func again(_ times: Int) {
        var ledger = linked()
        _ = ledger.want("a")
        for _ in 0..<times {
            #expect(ledger.want("a") == nil)
            #expect(ledger.release("a") == nil)
            #expect(ledger.want("a") == nil)
        }
        #expect(ledger.wantedCount == 1 && ledger.count == 1)
        _ = ledger.confirmedSubscription(key("a"))
        #expect(ledger.want("a") == nil)
        #expect(ledger.release("a") == unsubscribe("a"))
        #expect(ledger.release("a") == nil)
        #expect(ledger.release("never") == nil)
        #expect(ledger.count == 1)
    }

    @Test("a refused channel counts as settled and is asked for again on the next link only")
    func refused() {
        var ledger = linked()
        _ = ledger.want("a")
        #expect(ledger.refused(key("a")) == "a")
        #expect(ledger.isSettled && !ledger.isInForce("a") && ledger.standing(of: "a") == .refused)
        #expect(ledger.channel(key("a")) == nil)
        #expect(ledger.want("a") == nil)
        ledger.unlinked()
        #expect(ledger.linked() == [subscribe("a")])
        #expect(!ledger.isSettled)
    }

    @Test("a refused channel that is not wanted any more is forgotten, then or when it is released")
    func refusedUnwanted() {
        var ledger = linked()
        _ = ledger.want("a")
        _ = ledger.release("a")
        #expect(ledger.refused(key("a")) == nil)
        #expect(ledger.count == 0)
        _ = ledger.want("a")
        _ = ledger.refused(key("a"))
        #expect(ledger.release("a") == nil)
        #expect(ledger.count == 0 && ledger.wantedCount == 0)
        #expect(ledger.want("a") == subscribe("a"), "a new wish asks anew")
    }

    @Test("a lost link forgets every standing and no wish")
    func lost() {
        var ledger = linked()
        for channel in ["subscribed", "subscribing", "unsubscribing", "back", "refused"] { _ = ledger.want(channel) }
        for channel in ["subscribed", "unsubscribing", "back"] { _ = ledger.confirmedSubscription(key(channel)) }
        for channel in ["unsubscribing", "back"] { _ = ledger.release(channel) }
        _ = ledger.want("back")
        _ = ledger.refused(key("refused"))
        ledger.unlinked()
        #expect(ledger.wantedCount == 4 && ledger.count == 4)
        for channel in ["subscribed", "subscribing", "back", "refused"] {
            #expect(ledger.standing(of: channel) == .idle && !ledger.isInForce(channel))
        }
        let orders = ledger.linked()
        #expect(orders.count == 4)
        for channel in ["subscribed", "subscribing", "back", "refused"] {
            #expect(orders.contains(subscribe(channel)))
        }
        for channel in ["subscribed", "subscribing", "back", "refused"] {
            #expect(!ledger.isSettled)
            _ = ledger.confirmedSubscription(key(channel))
        }
        #expect(ledger.isSettled)
    }

    @Test("confirmations of channels that nobody knows leave nothing behind")
    func unknown() {
        var ledger = linked()
        #expect(ledger.confirmedSubscription(key("x")) == .init())
        #expect(ledger.confirmedEnd(key("x")) == nil)
        #expect(ledger.refused(key("x")) == nil)
        #expect(ledger.channel(key("x")) == nil)
        #expect(ledger.count == 0 && ledger.isSettled)
    }

    @Test("channels are bytes: names that only look equal are two")
    func exactBytes() {
        var ledger = linked()
        #expect(ledger.want("caf\u{E9}") != nil)
        #expect(ledger.want("cafe\u{301}") != nil)
        #expect(ledger.wantedCount == 2)
        _ = ledger.confirmedSubscription(key("caf\u{E9}"))
        #expect(ledger.isInForce("caf\u{E9}") && !ledger.isInForce("cafe\u{301}"))
    }
}
