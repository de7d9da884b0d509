/// The socket of one attempt to reach Redis, with TLS or without, and the bytes that the kernel has not taken.
final class RedisTransport {
    enum Output: Equatable {
        case sent
        /// The kernel takes no more for now.
        case blocked
        case broken(RedisLinkFault)
    }

    let registration: Registration
    private let socket: Socket
    private let tls: TLSSocket?
    private let scratch: TLSScratch?
    /// What is left of an output that did not go out whole; nil most of the time.
    private var rest: ByteBuffer?
    private var sentOfRest = 0

    init(socket: Socket, registration: Registration, stream: TLSStream?, scratch: TLSScratch?) {
        self.socket = socket
        self.registration = registration
        self.scratch = scratch
        if let stream, let scratch {
            tls = TLSSocket(stream: stream, socket: socket, scratch: scratch)
        } else {
            tls = nil
        }
    }

    /// Whether Redis can be spoken to.
    var isSecured: Bool { tls.map { !$0.isHandshaking } ?? true }

    /// The socket is connected: how that went, and the first step of TLS.
    func begin(silence: Nanoseconds) -> RedisLinkFault? {
        let code = socket.pendingError
        guard code == 0 else { return .unreachable(SystemError.text(of: code)) }
        socket.setNoDelay()
        socket.setUserTimeout(milliseconds: Int32(clamping: silence / .millisecond))
        guard let tls, case .failed(let code) = tls.start() else { return nil }
        return fault(code)
    }

    /// Reads once through `buffer` and gives what Redis sent to `take`; perhaps nothing.
    func receive(
        through buffer: UnsafeMutableRawBufferPointer, _ take: (UnsafeRawBufferPointer) -> Void
    ) -> RedisLinkFault? {
        switch tls?.read(through: buffer) ?? socket.read(into: buffer) {
        case .bytes(let count):
            take(scratch.map { $0.plaintext.bytes } ?? UnsafeRawBufferPointer(rebasing: buffer[..<count]))
            return nil
        case .wouldBlock: return nil
        case .endOfStream: return tls?.error.map { .tls("\($0)") } ?? .closedByPeer
        case .failed(let code): return fault(code)
        }
    }

    /// Sends what is left over and then `output`, which it empties unless there is something left over still.
    func flush(_ output: ByteBuffer) -> Output {
        if let tls, case .failed(let code) = tls.flush() { return .broken(fault(code)) }
        if let rest {
            switch send(UnsafeRawBufferPointer(rebasing: rest.bytes[sentOfRest...])) {
            case .failure(let fault): return .broken(fault)
            case .success(let count): sentOfRest += count
            }
            guard sentOfRest == rest.count else { return .blocked }
            self.rest = nil
            sentOfRest = 0
        }
        if !output.isEmpty, isSecured {
            switch send(output.bytes) {
            case .failure(let fault): return .broken(fault)
            case .success(let count):
                if count < output.count {
                    let rest = ByteBuffer(capacity: output.count - count)
                    rest.append(UnsafeRawBufferPointer(rebasing: output.bytes[count...]))
                    self.rest = rest
                }
            }
            output.removeAll()
        }
        return rest == nil && !(tls?.hasUnsentRecords ?? false) ? .sent : .blocked
    }

    /// Nothing is taken leave of: what mattered has been answered.
    func close() {
        socket.close()
    }

    private func send(_ bytes: UnsafeRawBufferPointer) -> Result<Int, RedisLinkFault> {
        switch tls?.send(bytes) ?? socket.send(bytes) {
        case .bytes(let count): .success(count)
        case .wouldBlock: .success(0)
        case .endOfStream: .failure(.closedByPeer)
        case .failed(let code): .failure(fault(code))
        }
    }

    private func fault(_ code: Int32) -> RedisLinkFault {
        tls?.error.map { .tls("\($0)") } ?? .broken(SystemError.text(of: code))
    }
}
