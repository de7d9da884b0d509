import CEpoll
import Glibc

/// A non-blocking stream socket: a descriptor and the calls on it. A value that owns nothing: whoever holds the
/// descriptor closes it, once. Interrupted calls are repeated; SIGPIPE is never raised by a send.
struct Socket: Hashable, Sendable {
    let descriptor: Int32

    init(descriptor: Int32) {
        self.descriptor = descriptor
    }

    /// Begins to connect. The socket becomes writable when it is done; `pendingError` then tells how.
    static func connecting(to address: SocketAddress) throws(SystemError) -> Socket {
        let descriptor = tiffin_stream_socket(address.family)
        guard descriptor >= 0 else { throw .last("socket") }
        let result = address.withSocketAddress { connect(descriptor, $0, $1) }
        guard result == 0 || errno == EINPROGRESS else {
            let error = SystemError.last("connect \(address)")
            Glibc.close(descriptor)
            throw error
        }
        return Socket(descriptor: descriptor)
    }

    /// Writing to a pipe or socket whose reader is gone must be an error, not the end of the process.
    static func ignoreBrokenPipe() {
        signal(SIGPIPE, SIG_IGN)
    }

    // MARK: - Bytes

    func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
        receive(into: buffer, flags: 0)
    }

    /// The same, but what is read can be read again.
    func peek(into buffer: UnsafeMutableRawBufferPointer) -> SocketResult {
        receive(into: buffer, flags: Int32(MSG_PEEK))
    }

    @inline(__always)
    private func receive(into buffer: UnsafeMutableRawBufferPointer, flags: Int32) -> SocketResult {
        guard !buffer.isEmpty else { return .bytes(0) }
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, flags)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .endOfStream }
            let code = errno
            if code == EINTR { continue }
            return code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failed(code)
        }
    }

    /// Sends what the kernel takes; fewer bytes than given means that its buffer is full.
    func send(_ bytes: UnsafeRawBufferPointer) -> SocketResult {
        guard !bytes.isEmpty else { return .bytes(0) }
        while true {
            let count = Glibc.send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
            if count >= 0 { return .bytes(count) }
            let code = errno
            if code == EINTR { continue }
            return code == EAGAIN || code == EWOULDBLOCK ? .wouldBlock : .failed(code)
        }
    }

    // MARK: - Ending

    /// Tells the peer that nothing more will come; reading goes on.
    func shutdownWrite() {
        shutdown(descriptor, Int32(SHUT_WR))
    }

    func close() {
        Glibc.close(descriptor)
    }

    /// Closes with a reset, so that the kernel keeps neither unsent bytes nor a waiting state.
    func reset() {
        var linger = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &linger, socklen_t(MemoryLayout<linger>.size))
        close()
    }

    /// Takes the pending error; 0 when there is none.
    var pendingError: Int32 {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        guard getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 else { return errno }
        return code
    }

    /// Bytes given to the kernel that the peer has not acknowledged.
    var unsentBytes: Int {
        max(0, Int(tiffin_unsent_bytes(descriptor)))
    }

    /// For descriptors that somebody else has opened; our own are opened so.
    func closeOnExec() {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    }

    // MARK: - Options; a socket that does not know one (Unix) is left as it is

    /// How long sent bytes may stay unacknowledged before the kernel ends the connection (TCP_USER_TIMEOUT).
    func setUserTimeout(milliseconds: Int32) {
        set(Int32(IPPROTO_TCP), TCP_USER_TIMEOUT, milliseconds)
    }

    /// TCP_NODELAY; accepted sockets have it from their listener.
    func setNoDelay() {
        set(Int32(IPPROTO_TCP), TCP_NODELAY, 1)
    }

    /// The kernel doubles the value.
    func setReceiveBuffer(_ bytes: Int32) {
        set(SOL_SOCKET, SO_RCVBUF, bytes)
    }

    /// The kernel doubles the value.
    func setSendBuffer(_ bytes: Int32) {
        set(SOL_SOCKET, SO_SNDBUF, bytes)
    }

    /// Nil when the descriptor is no socket, or does not know the option.
    func option(_ level: Int32, _ option: Int32) -> Int32? {
        var value: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, level, option, &value, &length) == 0 ? value : nil
    }

    @discardableResult
    func set(_ level: Int32, _ option: Int32, _ value: Int32) -> Bool {
        var value = value
        return setsockopt(descriptor, level, option, &value, socklen_t(MemoryLayout<Int32>.size)) == 0
    }
}
