import Glibc
import Testing

@testable import TiffinLiveCore

/// Running out of descriptors, played by an accept function: the limit of the test's process is everybody's.
@Suite("Listening socket without descriptors")
struct DescriptorShortageTests {
    /// A real listener whose accept answers what the test says, and notes how often it is asked.
    final class Scenario {
        let clock = LoopClock()
        let loop: EventLoop
        let listener: ListeningSocket
        let script: Script
        let descriptor: Int32
        private(set) var accepted = 0
        private(set) var refused = 0
        private(set) var shortages: [Int] = []
        private(set) var failures: [Int32] = []
        private var clients: [Socket] = []

        final class Script {
            var calls = 0
            var answer: (Int32) -> AcceptResult = ListeningSocket.acceptNext
        }

        init() throws {
            loop = try clock.makeLoop()
            descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            let descriptor = descriptor
            let bound = SocketAddress.ipv4(0x7F00_0001, port: 0).withSocketAddress { bind(descriptor, $0, $1) }
            guard bound == 0, listen(descriptor, 100) == 0 else { throw SystemError.last("listen") }
            let script = Script()
            self.script = script
            listener = try ListeningSocket(adopting: descriptor) {
                script.calls += 1
                return script.answer($0)
            }
        }

        func start(clients count: Int) throws {
            listener.ranOutOfDescriptors = { self.shortages.append($0) }
            listener.acceptFailed = { self.failures.append($0.code) }
            try listener.start(on: loop, refuse: { _ in self.refused += 1 }) { socket, _ in
                self.accepted += 1
                socket.close()
            }
            clients = try (0..<count).map { _ in try Socket.connecting(to: listener.address) }
        }

        func turn() { loop.turn(waitingAtMost: 0) }

        func end() {
            listener.close()
            for client in clients { client.close() }
            listener.ranOutOfDescriptors = nil
            listener.acceptFailed = nil
        }
    }

    @Test("a few are refused by the reserve, then accepting rests; after the pause it goes on")
    func refusesAndRests() throws {
        let scenario = try Scenario()
        // Out of descriptors unless the reserve was given up just before: every second call.
        scenario.script.answer = { [unowned scenario] in
            scenario.script.calls % 2 == 1 ? .outOfDescriptors : ListeningSocket.acceptNext($0)
        }
        try scenario.start(clients: 10)
        scenario.turn()
        #expect(scenario.refused == ListeningSocket.refusalsPerTurn)
        #expect(scenario.shortages == [ListeningSocket.refusalsPerTurn])
        #expect(scenario.accepted == 0)
        let calls = scenario.script.calls
        for _ in 0..<50 { scenario.turn() }
        #expect(scenario.script.calls == calls)
        scenario.clock.manual.advance(by: ListeningSocket.shortagePause + 10 * .millisecond)
        scenario.script.answer = ListeningSocket.acceptNext
        scenario.turn()
        scenario.turn()
        #expect(scenario.accepted == 6)
        #expect(scenario.refused == 4)
        scenario.end()
    }

    @Test("when not even the reserve helps, nobody is refused and the loop does not spin")
    func reserveTaken() throws {
        let scenario = try Scenario()
        scenario.script.answer = { _ in .outOfDescriptors }
        try scenario.start(clients: 3)
        for _ in 0..<20 { scenario.turn() }
        #expect(scenario.refused == 0)
        #expect(scenario.shortages == [0])
        #expect(scenario.script.calls == 2)
        for round in 2...4 {
            scenario.clock.manual.advance(by: .second)
            for _ in 0..<20 { scenario.turn() }
            #expect(scenario.shortages.count == round)
        }
        scenario.script.answer = ListeningSocket.acceptNext
        scenario.clock.manual.advance(by: .second)
        for _ in 0..<3 { scenario.turn() }
        #expect(scenario.accepted == 3)
        scenario.end()
    }

    @Test("any other failure rests too", arguments: [ENOBUFS, ENOMEM, EINVAL])
    func failure(code: Int32) throws {
        let scenario = try Scenario()
        scenario.script.answer = { _ in .failed(code) }
        try scenario.start(clients: 1)
        for _ in 0..<20 { scenario.turn() }
        #expect(scenario.failures == [code])
        #expect(scenario.script.calls == 1)
        scenario.end()
    }

    @Test("a listener that another owner has shut down is closed and told of once")
    func shutDown() throws {
        let scenario = try Scenario()
        try scenario.start(clients: 0)
        shutdown(scenario.descriptor, Int32(SHUT_RDWR))
        for _ in 0..<5 { scenario.turn() }
        #expect(scenario.failures == [EINVAL])
        #expect(scenario.listener.isClosed)
        #expect(scenario.loop.registrationCount == 0)
        scenario.end()
    }

    @Test("a connection that is gone already does not keep the next from being taken")
    func aborted() throws {
        let scenario = try Scenario()
        scenario.script.answer = { [unowned scenario] in
            scenario.script.calls <= 3 ? .skipped : ListeningSocket.acceptNext($0)
        }
        try scenario.start(clients: 2)
        scenario.turn()
        #expect(scenario.accepted == 2)
        #expect(scenario.failures.isEmpty)
        scenario.end()
    }

    @Test("a pause that was asked for outlasts the rest after a shortage")
    func pausedMeanwhile() throws {
        let scenario = try Scenario()
        scenario.script.answer = { _ in .outOfDescriptors }
        try scenario.start(clients: 1)
        scenario.turn()
        scenario.listener.pause()
        scenario.script.answer = ListeningSocket.acceptNext
        scenario.clock.manual.advance(by: .second)
        for _ in 0..<3 { scenario.turn() }
        #expect(scenario.accepted == 0)
        scenario.listener.resume()
        scenario.turn()
        #expect(scenario.accepted == 1)
        scenario.end()
    }
}
