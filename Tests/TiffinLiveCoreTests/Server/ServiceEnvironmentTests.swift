import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("What systemd hands over in the environment")
struct ServiceEnvironmentTests {
    private func environment(_ variables: [String: String]) throws -> ServiceEnvironment {
        try ServiceEnvironment(variables, processID: 77)
    }

    @Test("without variables there is nothing")
    func nothing() throws {
        let environment = try environment([:])
        #expect(environment.notificationSocket == nil)
        #expect(environment.watchdog == nil)
        #expect(environment.sockets.isEmpty)
    }

    @Test(
        "a notification socket is a path or an abstract name",
        arguments: [
            ("/run/systemd/notify", true), ("@/org/x", true), ("@", false), ("/", false), ("", false),
            ("vsock:2:1", false), ("run/notify", false), ("/" + String(repeating: "x", count: 106), true),
            ("/" + String(repeating: "x", count: 107), false),
        ])
    func socket(_ text: String, isGood: Bool) throws {
        #expect(try environment(["NOTIFY_SOCKET": text]).notificationSocket == (isGood ? text : nil))
    }

    @Test("the watchdog's time is in microseconds, and only for the process that is meant")
    func watchdog() throws {
        #expect(try environment(["WATCHDOG_USEC": "500000"]).watchdog == 500 * .millisecond)
        #expect(try environment(["WATCHDOG_USEC": "500000", "WATCHDOG_PID": "77"]).watchdog == 500 * .millisecond)
        for pid in ["78", "", "0", "-77", "77x"] {
            #expect(try environment(["WATCHDOG_USEC": "500000", "WATCHDOG_PID": pid]).watchdog == nil)
        }
        for time in ["0", "-5", "", "1e6", "soon", "9223372036854775807", "99999999999999999999"] {
            #expect(try environment(["WATCHDOG_USEC": time]).watchdog == nil, "\(time)")
        }
    }

    @Test("sockets that are meant for another process are left alone", arguments: ["78", "", "0", "x", "-77"])
    func otherProcess(pid: String) throws {
        #expect(try environment(["LISTEN_PID": pid, "LISTEN_FDS": "99999"]).sockets.isEmpty)
        #expect(try environment(["LISTEN_FDS": "1"]).sockets.isEmpty)
    }

    @Test("no sockets are none")
    func none() throws {
        #expect(try environment(["LISTEN_PID": "77", "LISTEN_FDS": "0", "LISTEN_FDNAMES": ""]).sockets.isEmpty)
        #expect(try environment(["LISTEN_PID": "77"]).sockets.isEmpty)
    }

    @Test(
        "a number of sockets that is none is said",
        arguments: ["-1", "", "two", "1.5", "2147483647", "99999999999999999999"])
    func badNumber(text: String) throws {
        let error = #expect(throws: ServerError.self) { try environment(["LISTEN_PID": "77", "LISTEN_FDS": text]) }
        #expect(error?.description == "LISTEN_FDS is \"\(text)\" instead of the number of sockets passed")
    }

    @Test("names that do not fit the number are said")
    func badNames() throws {
        let error = #expect(throws: ServerError.self) {
            try environment(["LISTEN_PID": "77", "LISTEN_FDS": "2", "LISTEN_FDNAMES": "public"])
        }
        #expect(error?.description == "LISTEN_FDNAMES has 1 names for 2 sockets")
    }

    @Test("a descriptor that cannot be accepted from is found out")
    func faults() throws {
        #expect(ListeningSocket.fault(ofInherited: -1) == "is not open")
        let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(file) }
        #expect(ListeningSocket.fault(ofInherited: file) == "is not a socket")
        let datagram = Glibc.socket(AF_INET, Int32(SOCK_DGRAM.rawValue), 0)
        defer { close(datagram) }
        #expect(ListeningSocket.fault(ofInherited: datagram) == "is not a stream socket")
        let idle = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        defer { close(idle) }
        #expect(ListeningSocket.fault(ofInherited: idle) == "does not listen")
        let (listening, _) = try LoopbackSocket.listen()
        defer { close(listening) }
        #expect(ListeningSocket.fault(ofInherited: listening) == nil)
    }
}
