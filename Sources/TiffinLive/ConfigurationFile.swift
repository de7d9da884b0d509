import TiffinLiveCore

/// `--config` and `--set` of the commands that have them.
enum ConfigurationFile {
    /// The checked configuration; every fault is a line of the error.
    static func load(_ arguments: Arguments) throws(CommandError) -> ServerConfiguration {
        try load(ConfigurationSource(path: try arguments.required("config"), overrides: arguments.list("set")))
    }

    static func load(_ source: ConfigurationSource) throws(CommandError) -> ServerConfiguration {
        do {
            return try source.load()
        } catch {
            throw .failed(error.description)
        }
    }
}
