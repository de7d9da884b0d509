import Glibc
import Testing

@testable import TiffinLiveCore

/// Sockets that systemd holds and passes (sd_listen_fds(3)); the test plays systemd.
@Suite("Socket activation", .enabled(if: ServerProcess.isBuilt))
struct SocketActivationTests {
    private static let onlyPassed = [#"listen=["systemd"]"#, #"admin=["127.0.0.1:0"]"#]

    private static func environment(_ count: Int, names: String? = nil) -> [String: String] {
        var environment = ["LISTEN_PID": "$$", "LISTEN_FDS": "\(count)"]
        environment["LISTEN_FDNAMES"] = names
        return environment
    }

    /// A socket that listens, and goes with the test.
    private final class Port {
        let descriptor: Int32
        let number: Int

        init() throws {
            (descriptor, number) = try LoopbackSocket.listen()
        }

        deinit {
            close(descriptor)
        }

        func connect() throws -> RawClient {
            try RawClient(port: number)
        }
    }

    @Test("a passed socket is accepted from by all loops")
    func accepts() throws {
        let port = try Port()
        let server = try ServerProcess(
            Self.onlyPassed, environment: Self.environment(1), passing: [port.descriptor])
        #expect(server.port == port.number)
        let riders = try (0..<20).map { number in try server.rider("u\(number)") }
        #expect(try server.openSessions() == 20)
        // It came blocking, and a loop that is woken in vain must not wait in accept.
        #expect(fcntl(port.descriptor, F_GETFL) & O_NONBLOCK != 0)
        #expect(try isClosedOnExec(3, of: server))
        for rider in riders {
            try rider.sendText(#"{"type":"ping"}"#)
            #expect(try rider.receiveText().contains("pong"))
        }
    }

    /// As the kernel shows it, in octal digits.
    private func isClosedOnExec(_ descriptor: Int, of server: ServerProcess) throws -> Bool {
        let bytes = try SecretReference.file("/proc/\(server.id)/fdinfo/\(descriptor)").read()
        let line = String(decoding: bytes, as: UTF8.self).split(separator: "\n").first { $0.hasPrefix("flags:") }
        let digits = try #require(line?.split(separator: "\t").last.flatMap { Int32($0, radix: 8) })
        return digits & O_CLOEXEC != 0
    }

    @Test("a restart refuses nobody: who connects meanwhile waits for the next process")
    func restart() throws {
        let port = try Port()
        let environment = Self.environment(1)
        var server: ServerProcess? = try ServerProcess(
            Self.onlyPassed, environment: environment, passing: [port.descriptor])
        #expect(try port.connect().get("/healthz").status == 200)
        // One after the other, through a stop, the time between, and a start.
        var waiting: [RawClient] = []
        for round in 0..<3 {
            let open = try #require(server).rider("u\(round)")
            server?.signal(SIGTERM)
            #expect(try open.expectCloseAndEnd().code == 1012)
            // Fewer than the socket's backlog.
            while server?.hasExited == false, waiting.count < 40 {
                waiting.append(try port.connect())
                usleep(2000)
            }
            #expect(server?.waitForExit() == 0)
            waiting.append(try port.connect())
            server = try ServerProcess(Self.onlyPassed, environment: environment, passing: [port.descriptor])
            for client in waiting { #expect(try client.get("/healthz").status == 200) }
            waiting = []
        }
    }

    @Test("names say which socket is for whom, and one that nobody asks for is closed and said")
    func names() throws {
        let (inside, outside, other) = (try Port(), try Port(), try Port())
        let server = try ServerProcess(
            [#"listen=["systemd:public"]"#, #"admin=["systemd:admin"]"#],
            environment: Self.environment(3, names: "admin:public:other"),
            passing: [inside.descriptor, outside.descriptor, other.descriptor])
        #expect(server.port == outside.number)
        #expect(server.adminPort == inside.number)
        #expect(try outside.connect().get("/readyz").status == 200)
        #expect(try inside.connect().get("/metrics").status == 200)
        try eventually("the line about the third") {
            try server.logObjects("socket_unused").first?["names"] == .array([.string("other")])
        }
    }

    @Test("what is not named otherwise is for `systemd`, beside addresses of the server's own")
    func others() throws {
        let (inside, outside) = (try Port(), try Port())
        let server = try ServerProcess(
            [#"listen=["127.0.0.1:0","systemd"]"#, #"admin=["systemd:admin"]"#],
            environment: Self.environment(2, names: "admin:web"), passing: [inside.descriptor, outside.descriptor])
        #expect(try outside.connect().get("/healthz").status == 200)
        #expect(try server.connect().get("/healthz").status == 200)
        #expect(server.port != outside.number)
    }

    @Test("sockets that are meant for another process are left alone")
    func otherProcess() throws {
        let port = try Port()
        let server = try ServerProcess(
            environment: ["LISTEN_PID": "1", "LISTEN_FDS": "1"], passing: [port.descriptor])
        #expect(server.port != port.number)
        #expect(try server.connect().get("/healthz").status == 200)
    }

    @Test("sockets that cannot be used end the start with a sentence")
    func unusable() throws {
        let datagram = socket(AF_INET, Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let idle = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        let port = try Port()
        defer { for descriptor in [datagram, idle, file] { close(descriptor) } }
        let cases: [(count: Int, passing: [Int32], sentence: String)] = [
            (1, [datagram], "descriptor 3 of the 1 that were passed (LISTEN_FDS) is not a stream socket"),
            (2, [port.descriptor, idle], "descriptor 4 of the 2 that were passed (LISTEN_FDS) does not listen"),
            (1, [file], "descriptor 3 of the 1 that were passed (LISTEN_FDS) is not a socket"),
            (99_999, [port.descriptor], "of the 99999 that were passed (LISTEN_FDS) "),
            (-1, [port.descriptor], "LISTEN_FDS is \"-1\" instead of the number of sockets passed"),
            (0, [], "listen: systemd passes no socket; start the socket unit, or give an address"),
        ]
        for (count, passing, sentence) in cases {
            let server = try ServerProcess(
                Self.onlyPassed, environment: Self.environment(count), passing: passing, listens: false)
            #expect(server.waitForExit() == 1)
            #expect(server.logText().contains(sentence), "\(server.logText())")
        }
    }

    @Test("a name that systemd does not pass is said")
    func missingName() throws {
        let port = try Port()
        let server = try ServerProcess(
            [#"listen=["systemd:public"]"#], environment: Self.environment(1, names: "web"),
            passing: [port.descriptor], listens: false)
        #expect(server.waitForExit() == 1)
        #expect(server.logText().contains("listen: systemd passes no socket named \"public\""))
    }
}
