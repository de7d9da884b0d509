import TiffinLiveCore

/// What the operator of the demo can do to the running server, by the buttons of the page, and what the auth service then
/// knows: whether rider 5521 may sign in.
final class DemoOperations: Sendable {
    /// The rider of the page, who carries order 123.
    static let rider = "5521"

    private struct State {
        var isRiderSuspended = false
        var isRiderOnOrder = true
    }

    private let demo: DemoServer
    private let state = Locked(State())

    init(_ demo: DemoServer) {
        self.demo = demo
    }

    var isRiderSuspended: Bool { state.withLock(\.isRiderSuspended) }
    var isRiderOnOrder: Bool { state.withLock(\.isRiderOnOrder) }

    /// What the server keeps in memory and a service would tell it again after a start.
    func fillStore() throws(ClientError) {
        try demo.admin.store(["HSET", "order:123", "customer_id", "7001"])
        try storeCourier()
        if isRiderSuspended { try demo.admin.revoke(user: Self.rider, reason: "suspended") }
    }

    /// Signs the rider out everywhere, until `pardon`.
    func suspend() throws(ClientError) {
        state.withLock { $0.isRiderSuspended = true }
        try demo.admin.revoke(user: Self.rider, reason: "suspended")
    }

    /// Tokens from before stay refused; new ones work.
    func pardon() {
        state.withLock { $0.isRiderSuspended = false }
    }

    /// Takes the rider off order 123, or gives it back.
    func setRiderOnOrder(_ isOn: Bool) throws(ClientError) {
        state.withLock { $0.isRiderOnOrder = isOn }
        try storeCourier()
        try demo.admin.grantChanged(topic: "trips:123")
    }

    /// Returns at once. The server is away for a second or two.
    func restart() {
        do {
            _ = try LoopThread.start(name: "restart") { self.restartNow() }
        } catch {
            Console.error("tiffin-live demo: cannot start a thread: \(error)")
        }
    }

    private func restartNow() {
        do {
            if try demo.restart() { try fillStore() }
        } catch {
            Console.error("tiffin-live demo: the restart failed: \(error)")
        }
    }

    private func storeCourier() throws(ClientError) {
        try demo.admin.store(["HSET", "order:123", "rider_id", isRiderOnOrder ? Self.rider : "nobody"])
    }
}
