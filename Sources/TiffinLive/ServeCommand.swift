import TiffinLiveCore

/// `serve`: the daemon in the foreground, as systemd wants it.
enum ServeCommand: Command {
    static let name = "serve"
    static let summary = "runs the server in the foreground"
    static let usage = "tiffin-live serve --config FILE [--set KEY=VALUE]..."
    static let details = """
        --set overrides one setting; the value is JSON5: --set 'listen=["127.0.0.1:0"]'.
        SIGTERM drains and ends, a second one hurries; SIGHUP reads the configuration and the keys again. systemd is
        told of the state, and passes sockets for listen: ["systemd"].
        """
    static let options = [Option("config"), Option("set", .list)]

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        let source = ConfigurationSource(
            path: try arguments.required("config"), overrides: arguments.list("set"))
        let configuration = try ConfigurationFile.load(source)
        do {
            let service = try ServiceEnvironment.take()
            return try RunningServer.start(configuration, from: source, service: service, handlesSignals: true).wait()
        } catch {
            throw .failed("tiffin-live: \(error)")
        }
    }
}
