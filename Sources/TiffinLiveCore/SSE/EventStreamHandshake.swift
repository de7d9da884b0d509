/// The head of the response that opens an event stream (HTML, "Server-sent events", §9.2.2; contract for caches and
/// proxies: nothing on the way may store, hold back or recode it). To be sent at once, before the first event.
enum EventStreamHandshake {
    /// An HTTP/1.0 client gets no chunks: its stream ends with the connection. `closes`: whether the connection ends
    /// with the stream also for HTTP/1.1, so that no client takes it for its next request.
    static func appendResponse(
        to buffer: ByteBuffer, date: HTTPDate, version: HTTPVersion,
        extraFields: [(name: String, value: String)] = [], closes: Bool = true
    ) {
        ResponseHeadEncoder.append(status: 200, to: buffer)
        ResponseHeadEncoder.append(date: date, to: buffer)
        buffer.append("Content-Type: text/event-stream\r\n")
        buffer.append("Cache-Control: no-cache, no-store, no-transform\r\nX-Accel-Buffering: no\r\n")
        if version == .http11 { buffer.append("Transfer-Encoding: chunked\r\n") }
        if closes || version == .http10 { buffer.append("Connection: close\r\n") }
        for field in extraFields { ResponseHeadEncoder.append(field: field.name, field.value, to: buffer) }
        ResponseHeadEncoder.appendEnd(to: buffer)
    }
}
