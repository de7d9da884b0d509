/// How the sending half of the other side ended.
enum StreamEnd: Equatable {
    /// FIN: all that was sent has been received.
    case finished
    /// RST: bytes under way may be lost.
    case reset
}
