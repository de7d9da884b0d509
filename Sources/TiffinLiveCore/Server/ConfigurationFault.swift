/// One thing that is wrong with the configuration: where, which key, and a sentence that says what to do.
public struct ConfigurationFault: Equatable, Sendable, CustomStringConvertible {
    /// The file as it was named, or the whole `--set` argument.
    let source: String
    let line: Int?
    /// Dotted, as `--set` takes it.
    let key: String?
    let message: String

    init(source: String, line: Int? = nil, key: String? = nil, message: String) {
        self.source = source
        self.line = line
        self.key = key
        self.message = message
    }

    /// `FILE:LINE: KEY: sentence`.
    public var description: String {
        var text = source
        if let line { text += ":\(line)" }
        if !text.isEmpty { text += ": " }
        if let key { text += "\(key): " }
        return text + message
    }
}
