import Glibc

/// The shell of one `TLSStream`: reads and sends through the connection's `Socket`, with the same results, so that its
/// owner need not know which of the two it speaks to. Keeps the records that the kernel did not take.
///
/// The owner asks for writability while `hasUnsentRecords`, and calls `flush` then. Plaintext that waits stays with the
/// owner: what is encrypted cannot be taken back, so `send` encrypts no more than the kernel is about to take.
final class TLSSocket {
    /// Plaintext encrypted at a time: two records.
    private static let portion = 2 * TLSStream.recordLimit
    /// Records that may wait: answers to a peer that asks (keys, alerts) and does not read.
    private static let unsentLimit = 256 << 10

    let stream: TLSStream
    private let socket: Socket
    private let scratch: TLSScratch
    /// Records that the kernel did not take; nil most of the time.
    private var unsent: ByteBuffer?
    private var sentOfUnsent = 0
    /// Whether anything was sent. A server's first flight is what costs: it holds the signature.
    private(set) var hasAnswered = false
    /// The connection is over, for this reason; for the log.
    private(set) var error: TLSError?

    init(stream: TLSStream, socket: Socket, scratch: TLSScratch) {
        self.stream = stream
        self.socket = socket
        self.scratch = scratch
    }

    var isHandshaking: Bool { stream.state == .handshaking }
    var hasUnsentRecords: Bool { unsent != nil }
    /// The peer has said that nothing more will come; its FIN may be still on its way.
    var hasReceivedClose: Bool { stream.hasReceivedClose }
    /// What the last read has brought, until anybody's next one.
    var received: UnsafeMutableRawBufferPointer { scratch.received }

    /// Begins a client's handshake.
    func start() -> SocketResult {
        do {
            try stream.start(output: scratch.records)
            return sendRecords()
        } catch {
            return failed(error)
        }
    }

    /// Reads once and decrypts into `scratch.received`. `.bytes(0)`: something came, but nothing for the owner yet.
    /// `.endOfStream`: the peer's close_notify, or its end without one (`error` is then `.truncated`).
    /// `buffer` is where ciphertext is read to.
    func read(through buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
        scratch.plaintext.removeAll()
        switch socket.read(into: buffer) {
        case .bytes(let count):
            do {
                try stream.receive(
                    UnsafeRawBufferPointer(rebasing: buffer[..<count]), plaintext: scratch.plaintext,
                    output: scratch.records)
            } catch {
                return failed(error)
            }
            if case .failed(let code) = sendRecords() { return .failed(code) }
            if scratch.plaintext.isEmpty && stream.hasReceivedClose { return .endOfStream }
            return .bytes(scratch.plaintext.count)
        case .endOfStream:
            do {
                try stream.receiveEnd()
            } catch {
                self.error = error
            }
            return .endOfStream
        case let result:
            return result
        }
    }

    /// Encrypts and sends what the kernel takes. What is told as sent is on its way, though records of it may wait.
    func send(_ bytes: UnsafeRawBufferPointer) -> SocketResult {
        let flushed = flush()
        if case .failed = flushed { return flushed }
        var sent = 0
        while unsent == nil && sent < bytes.count {
            let portion = UnsafeRawBufferPointer(rebasing: bytes[sent..<min(sent + Self.portion, bytes.count)])
            do {
                try stream.send(portion, output: scratch.records)
            } catch {
                return failed(error)
            }
            sent += portion.count
            if case .failed(let code) = sendRecords() { return .failed(code) }
        }
        return sent == 0 && !bytes.isEmpty ? .wouldBlock : .bytes(sent)
    }

    /// Sends records that wait. `.bytes`: none is left.
    func flush() -> SocketResult {
        guard let unsent else { return .bytes(0) }
        switch socket.send(UnsafeRawBufferPointer(rebasing: unsent.bytes[sentOfUnsent...])) {
        case .bytes(let count):
            sentOfUnsent += count
            guard sentOfUnsent == unsent.count else { return .wouldBlock }
            self.unsent = nil
            sentOfUnsent = 0
            return .bytes(count)
        case let result:
            return result
        }
    }

    /// Sends the close_notify; the owner ends the socket's sending half when no record is left.
    func close() {
        stream.close(output: scratch.records)
        _ = sendRecords()
    }

    // MARK: - Private

    /// Sends the alert, if there is one, as far as the kernel takes it.
    private func failed(_ error: TLSError) -> SocketResult {
        self.error = error
        _ = sendRecords()
        return .failed(EPROTO)
    }

    /// What is in `scratch.records`, behind what waits already.
    private func sendRecords() -> SocketResult {
        let records = scratch.records
        defer { records.removeAll() }
        guard !records.isEmpty else { return .bytes(0) }
        hasAnswered = true
        if let unsent {
            unsent.append(records.bytes)
            guard unsent.count - sentOfUnsent <= Self.unsentLimit else { return .failed(EPROTO) }
            return .wouldBlock
        }
        switch socket.send(records.bytes) {
        case .bytes(let count):
            if count < records.count { keep(from: count) }
            return .bytes(count)
        case .wouldBlock:
            keep(from: 0)
            return .wouldBlock
        case let result:
            return result
        }
    }

    private func keep(from offset: Int) {
        let rest = UnsafeRawBufferPointer(rebasing: scratch.records.bytes[offset...])
        let unsent = ByteBuffer(capacity: rest.count)
        unsent.append(rest)
        self.unsent = unsent
    }
}
