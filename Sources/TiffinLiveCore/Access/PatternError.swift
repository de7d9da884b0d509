/// Why a pattern of the configuration is refused; the text ends up in the sentence that `check-config` prints.
struct PatternError: Error, Equatable, Sendable, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
