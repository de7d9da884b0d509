/// What a client has sent: a whole message or a control frame, unmasked and checked. The views are into the receive
/// buffer or into what was kept of earlier reads; they are good until the next call to the connection that gave them.
enum WebSocketInput {
    /// A text message. The bytes are UTF-8.
    case text(UnsafeRawBufferPointer)
    case binary(UnsafeRawBufferPointer)
    /// To be answered with a pong of the same payload, at most 125 bytes.
    case ping(UnsafeRawBufferPointer)
    case pong(UnsafeRawBufferPointer)
    /// The last input of a connection. No code when the frame was empty; the reason is UTF-8.
    case close(CloseCode?, reason: UnsafeRawBufferPointer)
}
