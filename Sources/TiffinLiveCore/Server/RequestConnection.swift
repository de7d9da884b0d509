/// One connection of an HTTP/1.1 listener beside the public one: requests with bodies, answered one after another, or an
/// event stream once the endpoint asks for it.
final class RequestConnection: EventSource {
    /// Output of a stream that may wait for a peer that does not read, in bytes.
    private static let outputLimit = 4 << 20
    /// How long a request may take to arrive, and how long a connection may stay idle.
    private static let requestTimeout: Nanoseconds = 30 * .second

    private enum State {
        case readingHead(HTTPRequestDecoder)
        case readingBody(HTTPRequest, HTTPBodyReader)
        /// The answer is on its way; input waits.
        case answering
        case streaming
        case closing
        case closed
    }

    private let socket: Socket
    private unowned let loop: EventLoop
    private unowned let endpoint: any RequestEndpoint
    private var registration = Registration(index: .max, generation: 0)
    private var state = State.readingHead(HTTPRequestDecoder())
    private var input: [UInt8] = []
    private let output = ByteBuffer(capacity: 1024)
    private var sent = 0

    init(socket: Socket, loop: EventLoop, endpoint: any RequestEndpoint) throws(SystemError) {
        self.socket = socket
        self.loop = loop
        self.endpoint = endpoint
        registration = try loop.register(socket.descriptor, interest: .readable, source: self)
        armTimer()
    }

    // MARK: Events of the loop

    func ready(_ readiness: Readiness, on loop: EventLoop) {
        if !readiness.isDisjoint(with: [.readable, .hangUp]) { read() }
        if case .closed = state { return }
        flush()
    }

    func timerFired(on loop: EventLoop) {
        switch state {
        case .readingHead, .readingBody, .closing: close()
        case .streaming:
            EventStreamEncoder.append(comment: "", asChunkIn: output)
            flush()
            armTimer()
        case .answering, .closed: break
        }
    }

    private func read() {
        switch socket.read(into: loop.receiveBuffer) {
        case .bytes(let count):
            if case .streaming = state { return }
            if case .closing = state { return }
            input.append(contentsOf: loop.receiveBuffer[..<count])
            guard input.count <= endpoint.bodyLimit + (128 << 10) else { return close() }
            advance()
        case .wouldBlock:
            break
        case .endOfStream, .failed:
            close()
        }
    }

    /// Takes as many requests from the input as are whole, one at a time.
    private func advance() {
        while true {
            do {
                switch state {
                case .readingHead(var decoder):
                    var consumed = 0
                    let request = try input.withUnsafeBytes { bytes throws(HTTPError) in
                        try decoder.receive(bytes, consumed: &consumed)
                    }
                    input.removeFirst(consumed)
                    guard let request else {
                        state = .readingHead(decoder)
                        return
                    }
                    if request.expectsContinue { output.append("HTTP/1.1 100 Continue\r\n\r\n") }
                    state = .readingBody(request, try HTTPBodyReader(request, limit: endpoint.bodyLimit))
                case .readingBody(let request, var reader):
                    var consumed = 0
                    let body = input.withUnsafeBytes { reader.receive($0, consumed: &consumed) }
                    input.removeFirst(consumed)
                    guard let body else {
                        state = .readingBody(request, reader)
                        return flush()
                    }
                    serve(request, body: body)
                case .answering, .streaming, .closing, .closed:
                    return
                }
            } catch let error as HTTPError {
                return answer(HTTPResponse(error), to: nil)
            } catch {
                return close()
            }
        }
    }

    private func serve(_ request: HTTPRequest, body: [UInt8]) {
        state = .answering
        endpoint.serve(request, body: body, on: self) { [weak self] response in self?.answer(response, to: request) }
    }

    private func answer(_ response: HTTPResponse, to request: HTTPRequest?) {
        if case .closed = state { return }
        let closes = request?.keepsAlive != true
        response.append(
            to: output, date: HTTPDate(wall: loop.now.wall), closes: closes, version: request?.version ?? .http11,
            withoutBody: request?.method == "HEAD")
        state = closes ? .closing : .readingHead(HTTPRequestDecoder())
        armTimer()
        flush()
        if case .readingHead = state, !input.isEmpty { advance() }
    }

    // MARK: An event stream

    /// Answers the request that is being served with an event stream, in place of a response.
    func beginStream() {
        guard case .answering = state else { return }
        EventStreamHandshake.appendResponse(
            to: output, date: HTTPDate(wall: loop.now.wall), version: .http11, extraFields: [])
        EventStreamEncoder.append(comment: "", asChunkIn: output)
        state = .streaming
        armTimer()
        flush()
    }

    func send(event data: [UInt8]) {
        guard case .streaming = state else { return }
        let slot = ChunkedEncoder.begin(in: output)
        data.withUnsafeBytes { data in
            EventStreamEncoder.append(event: nil, id: UnsafeRawBufferPointer?.none, data: data, to: output)
        }
        ChunkedEncoder.end(slot, in: output)
        guard output.count - sent <= Self.outputLimit else { return close() }
        flush()
    }

    // MARK: Output

    private func flush() {
        while sent < output.count {
            switch socket.send(UnsafeRawBufferPointer(rebasing: output.bytes[sent...])) {
            case .bytes(let count): sent += count
            case .wouldBlock: return loop.setInterest([.readable, .writable], of: registration)
            case .endOfStream, .failed: return close()
            }
        }
        output.removeAll()
        sent = 0
        loop.setInterest(.readable, of: registration)
        if case .closing = state { socket.shutdownWrite() }
    }

    private func armTimer() {
        switch state {
        case .readingHead, .readingBody: loop.arm(registration, at: loop.now.monotonic + Self.requestTimeout)
        case .closing: loop.arm(registration, at: loop.now.monotonic + 5 * .second)
        case .streaming: loop.arm(registration, at: loop.now.monotonic + 15 * .second)
        case .answering, .closed: loop.disarm(registration)
        }
    }

    func close() {
        if case .closed = state { return }
        state = .closed
        loop.deregister(registration, closingDescriptor: true)
        socket.close()
        endpoint.remove(self)
    }
}

extension EventStreamEncoder {
    fileprivate static func append(comment: StaticString, asChunkIn buffer: ByteBuffer) {
        let slot = ChunkedEncoder.begin(in: buffer)
        append(comment: comment, to: buffer)
        ChunkedEncoder.end(slot, in: buffer)
    }
}
