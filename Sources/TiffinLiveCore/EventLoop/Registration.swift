/// The name of a source at its loop: a slot and the slot's generation.
///
/// A registration that was given up is never mistaken for the next user of its slot: every use of it does nothing.
struct Registration: Hashable, Sendable {
    let index: UInt32
    let generation: UInt32
}
