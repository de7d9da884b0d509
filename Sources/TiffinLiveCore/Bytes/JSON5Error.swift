/// Why a JSON5 text was refused.
struct JSON5Error: Error, Equatable, Sendable {
    /// Counted from 1.
    let line: Int
    /// The dotted path of the member that the reader was in, for faults that belong to one.
    let key: String?
    /// One sentence without a full stop.
    let message: String

    init(line: Int, key: String? = nil, message: String) {
        self.line = line
        self.key = key
        self.message = message
    }
}
