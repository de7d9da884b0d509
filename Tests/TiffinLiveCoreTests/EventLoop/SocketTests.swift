import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("Socket")
struct SocketTests {
    @Test("bytes, would-block, end of stream and errors are told apart")
    func results() throws {
        let pair = try SocketPair()
        #expect(pair.near.receive().result == .wouldBlock)
        #expect(pair.far.send([1, 2]) == .bytes(2))
        #expect(pair.near.receive().bytes == [1, 2])
        #expect(pair.far.send([]) == .bytes(0))
        #expect(pair.near.receive(0).result == .bytes(0))
        pair.far.shutdownWrite()
        #expect(pair.near.receive().result == .endOfStream)
        #expect(pair.near.send([3]) == .bytes(1))
        pair.close(pair.far)
        // The far side went with a byte unread, which is a reset.
        #expect(pair.near.receive().result == .failed(ECONNRESET))
    }

    @Test("a send to a peer that is gone is an error and no signal")
    func brokenPipe() throws {
        let pair = try SocketPair()
        pair.close(pair.far)
        #expect(pair.near.send([1]) == .failed(EPIPE))
        #expect(Socket(descriptor: -1).send([1]) == .failed(EBADF))
        #expect(Socket(descriptor: -1).receive().result == .failed(EBADF))
    }

    @Test("a stream through small buffers, by partial writes and write interest, arrives as it was sent")
    func partialWrites() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        pair.near.setSendBuffer(4_096)
        let total = 600_000
        let content = (0..<total).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ ($0 >> 8)) }
        var sent = 0
        var shortWrites = 0
        var received: [UInt8] = []
        let writer = RecordingSource()
        let reader = RecordingSource()
        let writing = try loop.register(pair.near.descriptor, interest: .writable, source: writer)
        let reading = try loop.register(pair.far.descriptor, interest: .readable, source: reader)
        writer.onReady = { _, loop in
            guard case .bytes(let count) = pair.near.send(Array(content[sent..<min(sent + 10_000, total)])) else {
                return
            }
            if count < min(10_000, total - sent) { shortWrites += 1 }
            sent += count
            if sent == total { loop.setInterest([], of: writing) }
        }
        reader.onReady = { _, loop in
            received += pair.far.receive(1_500).bytes
            if received.count == total { loop.stop() }
        }
        loop.run()
        #expect(received == content)
        #expect(shortWrites > 0)
        // Nothing wakes a loop whose output is drained and whose input is read.
        let events = writer.readiness.count + reader.readiness.count
        for _ in 0..<3 { loop.turn(waitingAtMost: 0) }
        #expect(writer.readiness.count + reader.readiness.count == events)
        loop.deregister(writing)
        loop.deregister(reading)
    }

    @Test("unsent bytes are what the peer's kernel has not taken yet")
    func unsentBytes() throws {
        let listener = try ListeningSocket(binding: .ipv4(0x7F00_0001, port: 0))
        let loop = try EventLoop()
        var peer: Socket?
        try listener.start(on: loop) { socket, _ in peer = socket }
        let client = try Socket.connecting(to: listener.address)
        client.setSendBuffer(65_536)
        loop.turn()
        let server = try #require(peer)
        defer {
            client.close()
            server.close()
        }
        server.setReceiveBuffer(4_096)
        #expect(client.pendingError == 0)
        #expect(client.unsentBytes == 0)
        let block = [UInt8](repeating: 7, count: 65_536)
        var accepted = 0
        while case .bytes(let count) = client.send(block), accepted < 16_000_000 { accepted += count }
        #expect(client.unsentBytes > 0)
        #expect(client.unsentBytes <= accepted)
        #expect(Socket(descriptor: -1).unsentBytes == 0)
    }

    @Test("a connection that nobody takes ends in a pending error")
    func refused() throws {
        let listener = try ListeningSocket(binding: .ipv4(0x7F00_0001, port: 0), reusePort: false)
        let address = listener.address
        listener.close()
        let loop = try EventLoop()
        do {
            let client = try Socket.connecting(to: address)
            defer { client.close() }
            let source = RecordingSource()
            let registration = try loop.register(client.descriptor, interest: .writable, source: source)
            loop.turn()
            #expect(source.readiness.first?.contains(.hangUp) == true)
            #expect(client.pendingError == ECONNREFUSED)
            loop.deregister(registration)
        } catch {
            #expect(error.code == ECONNREFUSED)
        }
    }

    @Test("a reset reaches the peer as an error")
    func reset() throws {
        let listener = try ListeningSocket(binding: .ipv4(0x7F00_0001, port: 0))
        let loop = try EventLoop()
        var peer: Socket?
        try listener.start(on: loop) { socket, _ in peer = socket }
        let client = try Socket.connecting(to: listener.address)
        loop.turn()
        let server = try #require(peer)
        defer { server.close() }
        client.reset()
        let source = RecordingSource()
        let registration = try loop.register(server.descriptor, interest: [], source: source)
        loop.turn()
        #expect(source.readiness == [.hangUp])
        #expect(server.receive().result == .failed(ECONNRESET))
        loop.deregister(registration)
    }

    @Test("the user time-out is the kernel's")
    func userTimeout() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(descriptor) }
        Socket(descriptor: descriptor).setUserTimeout(milliseconds: 12_345)
        #expect(option(descriptor, Int32(IPPROTO_TCP), TCP_USER_TIMEOUT) == 12_345)
    }
}

/// An integer option of a socket, as the kernel has it.
func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
    var value: Int32 = -1
    var length = socklen_t(4)
    _ = getsockopt(descriptor, level, name, &value, &length)
    return value
}
