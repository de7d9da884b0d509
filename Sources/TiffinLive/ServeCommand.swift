import TiffinLiveCore

/// `serve`: the daemon in the foreground, as systemd wants it.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "runs the server in the foreground"
    static let usage = "tiffin-live serve --config FILE [--set KEY=VALUE]..."
    static let details = """
        --set overrides one setting; the value is JSON5: --set 'listen=["127.0.0.1:0"]'.
        SIGTERM drains and ends, a second one hurries; SIGHUP reads the configuration and the keys again.
        """
    static let options = [Option("config"), Option("set", .list)]

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        let configuration = try ConfigurationFile.load(arguments)
        do {
            return try RunningServer.start(configuration, handlesSignals: true).wait()
        } catch {
            throw .failed("tiffin-live: \(error)")
        }
    }
}
