/// How a client is connected.
enum Transport: String, Sendable {
    case websocket
    case sse
}
