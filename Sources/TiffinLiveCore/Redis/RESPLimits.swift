/// What one reply may make the reader of it keep. Checked against what is declared, before anything of it is read.
struct RESPLimits: Equatable, Sendable {
    /// Bytes of one bulk string.
    var bulk = 64 << 20
    /// Elements of all aggregates of a reply together; an entry of a map counts twice.
    var elements = 1 << 20
    /// Aggregates inside aggregates.
    var depth = 16
    /// Bytes of a whole reply.
    var reply = 128 << 20
    /// Bytes of a simple string, an error or a big number.
    var line = 64 << 10
}
