import Glibc

@testable import TiffinLiveCore

/// Two connected Unix stream sockets, non-blocking, closed at the end.
final class SocketPair {
    let near: Socket
    let far: Socket
    private var closed: Set<Int32> = []

    init() throws {
        var descriptors: [Int32] = [-1, -1]
        let type = Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue)
        guard socketpair(AF_UNIX, type, 0, &descriptors) == 0 else { throw SystemError.last("socketpair") }
        near = Socket(descriptor: descriptors[0])
        far = Socket(descriptor: descriptors[1])
    }

    deinit {
        close(near)
        close(far)
    }

    func close(_ socket: Socket) {
        if closed.insert(socket.descriptor).inserted { socket.close() }
    }
}

extension Socket {
    func send(_ bytes: [UInt8]) -> SocketResult {
        bytes.withUnsafeBytes { send($0) }
    }

    /// What is there to be read, up to `limit` bytes.
    func receive(_ limit: Int = 65_536) -> (result: SocketResult, bytes: [UInt8]) {
        var bytes = [UInt8](repeating: 0, count: limit)
        let result = bytes.withUnsafeMutableBytes { read(into: $0) }
        guard case .bytes(let count) = result else { return (result, []) }
        return (result, Array(bytes[..<count]))
    }
}
