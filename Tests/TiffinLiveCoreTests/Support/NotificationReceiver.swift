import Glibc

@testable import TiffinLiveCore

/// systemd's end of the notification socket.
final class NotificationReceiver {
    enum Form: CaseIterable {
        case path, abstract
    }

    /// For NOTIFY_SOCKET.
    let address: String
    private let descriptor: Int32
    private let path: String?

    init(_ form: Form = .path) throws {
        descriptor = socket(AF_UNIX, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let name = "/tmp/tiffin-notify-\(getpid())-\(UInt32.random(in: 0...UInt32.max))"
        address = form == .abstract ? "@" + name : name
        path = form == .path ? name : nil
        var bytes = Array(address.utf8)
        if form == .abstract { bytes[0] = 0 }
        var socketAddress = sockaddr_un()
        socketAddress.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &socketAddress.sun_path) { $0.copyBytes(from: bytes) }
        let length = socklen_t(2 + bytes.count + (form == .path ? 1 : 0))
        let result = withUnsafePointer(to: &socketAddress) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
        }
        guard result == 0 else { throw SystemError.last("bind \(address)") }
    }

    deinit {
        close(descriptor)
        if let path { unlink(path) }
    }

    /// The next message, as its lines; nil when none comes in time.
    func next(withinMilliseconds limit: Int32 = 30_000) -> [String]? {
        var entry = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        guard poll(&entry, 1, limit) == 1 else { return nil }
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = recv(descriptor, &bytes, bytes.count, 0)
        return String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).split(separator: "\n").map(String.init)
    }

    /// The next message that has this line; others are passed over.
    func next(with line: String) throws -> [String] {
        while let message = next() {
            if message.contains(line) { return message }
        }
        throw RawClientError.timedOut(waitingFor: line)
    }

    /// How many messages with this line have come and were not taken; all are taken.
    func takeAll(with line: String) -> Int {
        var count = 0
        while let message = next(withinMilliseconds: 0) {
            if message.contains(line) { count += 1 }
        }
        return count
    }
}
