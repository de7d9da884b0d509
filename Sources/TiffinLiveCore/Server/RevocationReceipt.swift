/// What the workers have reported of one revocation.
struct RevocationReceipt {
    /// Monotonic.
    let heardAt: Nanoseconds
    var missing: Int
    var closed = 0
    let complete: (Int) -> Void

    init(heardAt: Nanoseconds, missing: Int, complete: @escaping (Int) -> Void) {
        self.heardAt = heardAt
        self.missing = missing
        self.complete = complete
    }
}
