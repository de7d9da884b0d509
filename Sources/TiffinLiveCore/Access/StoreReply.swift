/// The answer of a store, Redis or the embedded one, to one command.
enum StoreReply: Equatable, Sendable {
    case text([UInt8])
    case integer(Int64)
    case null
    case ok
    case error(String)

    static func text(_ text: String) -> StoreReply { .text(Array(text.utf8)) }
}
