import Glibc
import TiffinLiveCore

/// A connection of a client: blocking, with a deadline on every wait, and what was received but not yet taken.
final class ClientSocket {
    private let descriptor: Int32
    private var pending: [UInt8] = []
    private var start = 0

    /// More than any head, line or message of the server's; a peer that sends more without an end is not ours.
    private static let pendingLimit = 4 << 20

    init(_ address: SocketAddress) throws(ClientError) {
        descriptor = socket(address.family, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
        guard descriptor >= 0 else { throw ClientError(SystemError.text(of: errno)) }
        guard address.withSocketAddress({ connect(descriptor, $0, $1) }) == 0 else {
            // `deinit` closes the descriptor: it runs for an object whose every property is set, also when `init` throws. A
            // second close here could hit a descriptor that another thread was given meanwhile.
            throw ClientError("\(SystemError.text(of: errno)) (is the server running there?)")
        }
        var one: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, socklen_t(MemoryLayout<Int32>.size))
    }

    deinit {
        close(descriptor)
    }

    func send(_ bytes: [UInt8]) throws(ClientError) {
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.send(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start, Int32(MSG_NOSIGNAL))
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { throw ClientError(SystemError.text(of: errno)) }
            start += count
        }
    }

    // MARK: Receiving

    /// The next `count` bytes.
    func take(_ count: Int, by deadline: Deadline) throws(ClientError) -> [UInt8] {
        while pending.count - start < count { try receive(by: deadline) }
        let bytes = Array(pending[start..<(start + count)])
        drop(count)
        return bytes
    }

    /// The bytes up to the next line feed, without it and without a carriage return before it.
    func takeLine(by deadline: Deadline) throws(ClientError) -> [UInt8] {
        var searched = start
        while true {
            if let end = pending[searched...].firstIndex(of: 0x0A) {
                var line = Array(pending[start..<end])
                drop(end + 1 - start)
                if line.last == 0x0D { line.removeLast() }
                return line
            }
            let known = pending.count - start
            try receive(by: deadline)
            searched = start + known
        }
    }

    /// Everything until the peer's end.
    func takeAll(by deadline: Deadline) throws(ClientError) -> [UInt8] {
        while try receiveMore(by: deadline) {}
        return try take(pending.count - start, by: deadline)
    }

    /// Whether the peer ended the connection in good order, with nothing left to read.
    func isAtEnd(by deadline: Deadline) throws(ClientError) -> Bool {
        guard start == pending.count else { return false }
        return try !receiveMore(by: deadline)
    }

    private func receive(by deadline: Deadline) throws(ClientError) {
        guard try receiveMore(by: deadline) else { throw .ended }
    }

    /// Waits for more bytes; false when the peer has ended.
    private func receiveMore(by deadline: Deadline) throws(ClientError) -> Bool {
        guard pending.count - start < Self.pendingLimit else { throw ClientError("the server sends without an end") }
        var waiting = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        let ready = poll(&waiting, 1, deadline.milliseconds)
        if ready < 0, errno == EINTR { return true }
        guard ready > 0 else { throw .tooLate }
        var chunk = [UInt8](repeating: 0, count: 16 << 10)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        if count < 0, errno == EINTR { return true }
        guard count >= 0 else { throw ClientError(SystemError.text(of: errno)) }
        if start > 0 {
            pending.removeFirst(start)
            start = 0
        }
        pending += chunk.prefix(count)
        return count > 0
    }

    private func drop(_ count: Int) {
        start += count
        if start == pending.count {
            pending.removeAll(keepingCapacity: true)
            start = 0
        }
    }
}
