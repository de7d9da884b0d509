/// What a loop keeps for one registration: 32 bytes in a slab that grows by doubling and never shrinks.
struct LoopSlot {
    /// Strong; nil in a free slot.
    var source: (any EventSource)?
    /// -1 when the registration is a timer alone or the slot is free.
    var descriptor: Int32 = -1
    /// Grows when the slot is given up, so that events and registrations from before do not match.
    var generation: UInt32 = 1
    /// The next slot of the list of free or of retired slots.
    var next: UInt32 = LoopSlot.none
    var interest: Readiness = []

    static let none = UInt32.max
}
