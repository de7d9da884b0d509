import Glibc

/// The decoders that can be fuzzed. Each is an enum of its own name with one function that feeds the input and checks
/// what must hold of the outcome; a broken property ends the process, which libFuzzer reports with the input.
enum FuzzTarget: String, CaseIterable, Sendable {
    case http
    case websocket
    case utf8
    case json
    case base64
    case jws
    case jwks
    case configuration
    case resp
    case replies
    case proxy

    /// By the first argument of the program.
    static let selected = CommandLine.arguments.dropFirst().first.flatMap { FuzzTarget(rawValue: $0) }

    static func exitAsMisused() -> Never { exit(2) }

    func run(_ input: UnsafeRawBufferPointer) {
        let bytes = [UInt8](input)
        switch self {
        case .http: FuzzHTTP.run(bytes)
        case .websocket: FuzzWebSocket.run(bytes)
        case .utf8: FuzzUTF8.run(bytes)
        case .json: FuzzJSON.run(bytes)
        case .base64: FuzzBase64.run(bytes)
        case .jws: FuzzJWS.run(bytes)
        case .jwks: FuzzJWKS.run(bytes)
        case .configuration: FuzzConfiguration.run(bytes)
        case .resp: FuzzRESP.run(bytes)
        case .replies: FuzzReplies.run(bytes)
        case .proxy: FuzzProxyHeader.run(bytes)
        }
    }
}

/// Ends the process with `message` unless the property holds.
func check(_ holds: Bool, _ message: @autoclosure () -> String) {
    guard !holds else { return }
    fatalError(message())
}
