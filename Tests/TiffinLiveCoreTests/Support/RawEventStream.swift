/// Reads the blocks of an event stream (WHATWG HTML, section 9.2.6), chunked or up to the end of the connection.
final class RawEventStream {
    enum Ending: Equatable {
        /// The last chunk came: a clean end.
        case lastChunk
        /// The connection ended without it; clean only where the body is not chunked (HTTP/1.0).
        case cut(StreamEnd)
    }

    let response: RawResponse
    /// Set once the stream has ended.
    private(set) var ending: Ending?

    private let client: RawClient
    private let isChunked: Bool
    private var pending: ArraySlice<UInt8> = []
    private var skipsLineFeed = false

    init(client: RawClient, response: RawResponse) {
        self.client = client
        self.response = response
        isChunked = response.only("Transfer-Encoding") == "chunked"
    }

    /// The next block that carries data; comments and blocks that only set fields are passed over. nil at the end.
    func nextEvent() throws(RawClientError) -> RawEvent? {
        while let block = try nextBlock() {
            if block.data != nil { return block }
        }
        return nil
    }

    /// The next event of that name; others are passed over.
    func nextEvent(named name: String) throws(RawClientError) -> RawEvent? {
        while let event = try nextEvent() {
            if event.event == name { return event }
        }
        return nil
    }

    /// The next block, up to its empty line. nil at the end; a block without its empty line is dropped, as browsers do.
    func nextBlock() throws(RawClientError) -> RawEvent? {
        var block = RawEvent()
        while let line = try nextLine() {
            if line.isEmpty { return block }
            read(line, into: &block)
        }
        return nil
    }

    private func read(_ line: [UInt8], into block: inout RawEvent) {
        let parts = line.split(separator: 0x3A, maxSplits: 1, omittingEmptySubsequences: false)
        var bytes = parts.count == 2 ? parts[1] : []
        if bytes.first == 0x20 { bytes.removeFirst() }
        let value = String(decoding: bytes, as: UTF8.self)
        switch String(decoding: parts[0], as: UTF8.self) {
        case "": block.comments.append(value)
        case "id": block.id = value
        case "event": block.event = value
        case "retry": block.retry = value
        case "data": block.data = block.data.map { $0 + "\n" + value } ?? value
        default: break
        }
    }

    /// A line without its end; CR, LF and CRLF all end one, so that an injected CR shows.
    private func nextLine() throws(RawClientError) -> [UInt8]? {
        var line: [UInt8] = []
        while true {
            guard let byte = pending.popFirst() else {
                guard try receiveMore() else { return nil }
                continue
            }
            if byte == 0x0A, skipsLineFeed {
                skipsLineFeed = false
                continue
            }
            skipsLineFeed = byte == 0x0D
            if byte == 0x0A || byte == 0x0D {
                return line
            }
            line.append(byte)
        }
    }

    private func receiveMore() throws(RawClientError) -> Bool {
        guard ending == nil else { return false }
        if isChunked {
            do throws(RawClientError) {
                pending = try client.receiveChunk().map { $0[...] } ?? []
                if pending.isEmpty { ending = .lastChunk }
            } catch .ended(let end, _, _) {
                ending = .cut(end)
            }
        } else {
            if client.pending.isEmpty, try !client.receiveMore("an event") {
                ending = .cut(client.end ?? .finished)
            }
            pending = client.take(client.pending.count)[...]
        }
        return ending == nil
    }
}

extension RawClient {
    /// Opens an event stream; a refusal fails the test.
    func openEventStream(
        _ target: String, token: String? = nil, lastEventID: String? = nil, headers: [(String, String)] = [],
        version: String = "HTTP/1.1"
    ) throws(RawClientError) -> RawEventStream {
        var all = [("Accept", "text/event-stream")] + headers
        if let token { all.append(("Authorization", "Bearer \(token)")) }
        if let lastEventID { all.append(("Last-Event-ID", lastEventID)) }
        try send(Self.requestHead("GET", target, version: version, headers: all))
        let response = try receiveResponseHead()
        guard response.status == 200, response.only("Content-Type") == "text/event-stream" else {
            throw .unexpected("\(response.status) \(response.fields) in place of an event stream")
        }
        return RawEventStream(client: self, response: response)
    }
}
