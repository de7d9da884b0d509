import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("Event loop: readiness")
struct EventLoopReadinessTests {
    @Test("a readable descriptor is reported until it is read, and no longer")
    func levelTriggered() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        let source = RecordingSource()
        let registration = try loop.register(pair.near.descriptor, interest: .readable, source: source)
        #expect(pair.far.send([1, 2, 3]) == .bytes(3))
        loop.turn()
        loop.turn()
        #expect(source.readiness == [.readable, .readable])
        #expect(pair.near.receive().bytes == [1, 2, 3])
        loop.turn(waitingAtMost: 0)
        #expect(source.readiness.count == 2)
        loop.deregister(registration)
    }

    @Test("interest decides what is reported")
    func interest() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        let source = RecordingSource()
        let registration = try loop.register(pair.near.descriptor, interest: [], source: source)
        _ = pair.far.send([1])
        loop.turn(waitingAtMost: 0)
        #expect(source.readiness.isEmpty)
        loop.setInterest(.writable, of: registration)
        #expect(loop.interest(of: registration) == .writable)
        loop.turn()
        loop.setInterest([.readable, .writable], of: registration)
        loop.turn()
        loop.setInterest(.readable, of: registration)
        loop.turn()
        #expect(source.readiness == [.writable, [.readable, .writable], .readable])
        loop.deregister(registration)
    }

    @Test("the end of the peer's stream is reported as such only when asked for")
    func peerClosed() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        let source = RecordingSource()
        let registration = try loop.register(pair.near.descriptor, interest: [], source: source)
        pair.far.shutdownWrite()
        loop.turn(waitingAtMost: 0)
        #expect(source.readiness.isEmpty)
        loop.setInterest(.peerClosed, of: registration)
        loop.turn()
        #expect(source.readiness == [.peerClosed])
        loop.deregister(registration)
    }

    @Test("a hang-up reaches a source that waits for nothing, and ends with its deregistration")
    func hangUpWithoutInterest() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        let source = RecordingSource()
        let registration = try loop.register(pair.near.descriptor, interest: [], source: source)
        source.onReady = { _, loop in loop.deregister(registration) }
        pair.close(pair.far)
        for _ in 0..<3 { loop.turn(waitingAtMost: 0) }
        #expect(source.readiness == [.hangUp])
        #expect(loop.registrationCount == 0)
    }

    @Test("a descriptor that cannot be watched is an error and leaves nothing behind")
    func registrationFails() throws {
        let loop = try EventLoop()
        let error = #expect(throws: SystemError.self) {
            try loop.register(-1, interest: .readable, source: RecordingSource())
        }
        #expect(error?.code == EBADF)
        #expect(loop.registrationCount == 0)
    }

    @Test("hundreds of registrations grow the slab and each gets its own events")
    func growth() throws {
        let loop = try EventLoop()
        let pairs = try (0..<150).map { _ in try SocketPair() }
        let sources = pairs.map { _ in RecordingSource() }
        var registrations: [Registration] = []
        for (pair, source) in zip(pairs, sources) {
            registrations.append(try loop.register(pair.near.descriptor, interest: .readable, source: source))
        }
        #expect(loop.registrationCount == 150)
        for index in stride(from: 0, to: 150, by: 3) { _ = pairs[index].far.send([UInt8(index)]) }
        loop.turn()
        for (index, source) in sources.enumerated() {
            #expect(source.readiness == (index % 3 == 0 ? [.readable] : []))
        }
        for registration in registrations { loop.deregister(registration) }
        #expect(loop.registrationCount == 0)
    }
}

@Suite("Event loop: stale registrations")
struct EventLoopStaleTests {
    @Test("a source that another takes out in the same batch hears nothing more, though its event was reported")
    func deregisteredByNeighbour() throws {
        let loop = try EventLoop()
        let pairs = try [SocketPair(), SocketPair()]
        let sources = [RecordingSource(), RecordingSource()]
        let registrations = try zip(pairs, sources).map {
            try loop.register($0.near.descriptor, interest: .readable, source: $1)
        }
        for (index, source) in sources.enumerated() {
            source.onReady = { _, loop in loop.deregister(registrations[1 - index]) }
        }
        for pair in pairs { _ = pair.far.send([1]) }
        loop.turn()
        #expect(sources[0].readiness.count + sources[1].readiness.count == 1)
    }

    @Test("a slot that is used again in the same batch does not get its predecessor's event")
    func reusedInBatch() throws {
        let loop = try EventLoop()
        let first = try SocketPair()
        let second = try SocketPair()
        let successor = RecordingSource()
        let sources = [RecordingSource(), RecordingSource()]
        let registrations = [
            try loop.register(first.near.descriptor, interest: .readable, source: sources[0]),
            try loop.register(second.near.descriptor, interest: .readable, source: sources[1]),
        ]
        for (index, source) in sources.enumerated() {
            source.onReady = { _, loop in
                loop.deregister(registrations[1 - index])
                _ = loop.registerTimer(successor)
            }
        }
        _ = first.far.send([1])
        _ = second.far.send([1])
        loop.turn()
        #expect(successor.readiness.isEmpty)
        #expect(sources[0].readiness.count + sources[1].readiness.count == 1)
    }

    @Test("a registration that was given up does nothing to the next user of its slot")
    func staleHandle() throws {
        let clock = LoopClock()
        let loop = try clock.makeLoop()
        let old = loop.registerTimer(RecordingSource())
        loop.deregister(old)
        loop.turn(waitingAtMost: 0)
        let pair = try SocketPair()
        let source = RecordingSource()
        let new = try loop.register(pair.near.descriptor, interest: .readable, source: source)
        #expect(new.index == old.index)
        #expect(new.generation != old.generation)
        loop.setInterest([], of: old)
        loop.deregister(old)
        loop.arm(old, at: 0)
        loop.arm(new, at: clock.manual.now.monotonic + .second)
        loop.disarm(old)
        _ = pair.far.send([1])
        clock.manual.advance(seconds: 2)
        loop.turn(waitingAtMost: 0)
        #expect(source.readiness == [.readable])
        #expect(source.timersFired == 1)
        #expect(loop.interest(of: old).isEmpty)
        loop.deregister(new)
    }

    @Test("a source lives to the end of the turn in which it goes")
    func destroyedAfterBatch() throws {
        let loop = try EventLoop()
        let pair = try SocketPair()
        var isDestroyed = false
        var wasDestroyedInTurn = false
        var registration: Registration?
        do {
            let source = RecordingSource()
            source.onDestruction = { isDestroyed = true }
            source.onReady = { [unowned source] _, loop in
                if let registration { loop.deregister(registration) }
                wasDestroyedInTurn = isDestroyed || source.readiness.isEmpty
            }
            registration = try loop.register(pair.near.descriptor, interest: .readable, source: source)
        }
        #expect(!isDestroyed)
        _ = pair.far.send([1])
        loop.beforePoll = {
            wasDestroyedInTurn = wasDestroyedInTurn || isDestroyed
            return false
        }
        loop.turn()
        #expect(!wasDestroyedInTurn)
        #expect(isDestroyed)
    }

    @Test("a descriptor that is closed right after leaves the set by itself")
    func closingDescriptor() throws {
        let loop = try EventLoop()
        let source = RecordingSource()
        do {
            let pair = try SocketPair()
            let registration = try loop.register(pair.near.descriptor, interest: .readable, source: source)
            _ = pair.far.send([1])
            loop.deregister(registration, closingDescriptor: true)
            pair.close(pair.near)
        }
        loop.turn(waitingAtMost: 0)
        #expect(source.readiness.isEmpty)
    }
}
