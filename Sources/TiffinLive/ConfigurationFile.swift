import TiffinLiveCore

/// `--config` and `--set` of the commands that have them.
enum ConfigurationFile {
    /// The checked configuration; every fault is a line of the error.
    static func load(_ arguments: Arguments) throws(CommandError) -> ServerConfiguration {
        let path = try arguments.required("config")
        do {
            return try ServerConfiguration.load(path: path, overrides: arguments.list("set"))
        } catch {
            throw .failed(error.description)
        }
    }
}
