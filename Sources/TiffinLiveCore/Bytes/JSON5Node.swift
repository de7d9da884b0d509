/// A value of a JSON5 text together with the line on which it begins, so that whoever interprets it can point at it.
///
/// Members keep the order of the text. Numbers are rewritten in the grammar of RFC 8259 (`0x10` as `16`, `.5` as
/// `0.5`, `+1` as `1`), so that a `JSONNumber` means the same here as there; only `Infinity` and `NaN` stay as written,
/// for the interpreter of the value to refuse.
struct JSON5Node: Equatable, Sendable {
    /// Counted from 1.
    let line: Int
    let value: Value

    indirect enum Value: Equatable, Sendable {
        case null
        case bool(Bool)
        case number(JSONNumber)
        case string(String)
        case array([JSON5Node])
        case object([Member])
    }

    struct Member: Equatable, Sendable {
        let name: String
        /// The line of the name.
        let line: Int
        let value: JSON5Node
    }
}
