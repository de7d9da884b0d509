/// An option of a command, as `--name value` or `--name=value`, or `--name` alone.
struct Option: Equatable {
    enum Kind: Equatable {
        case flag
        case value
        /// May be given again and again.
        case list
    }

    let name: String
    let kind: Kind

    init(_ name: String, _ kind: Kind = .value) {
        self.name = name
        self.kind = kind
    }
}
