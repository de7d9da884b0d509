import Glibc
import Testing

@testable import TiffinLiveCore

/// Two servers of one machine on one port (SO_REUSEPORT), as `config/systemd/examples/instance.conf` runs them.
@Suite("Two servers on one port", .enabled(if: ServerProcess.isBuilt))
struct SharedPortTests {
    @Test("both get connections, and when one stops the other takes all that come")
    func handover() throws {
        let first = try ServerProcess(["limits.perUser=0"])
        let second = try ServerProcess([#"listen=["127.0.0.1:\#(first.port)"]"#, "limits.perUser=0"])
        #expect(second.port == first.port)
        // The kernel deals them out at random.
        let riders = try (0..<64).map { _ in try first.rider() }
        let (here, there) = (try first.openSessions(), try second.openSessions())
        #expect(here + there == 64)
        #expect(here > 0 && there > 0)
        first.signal(SIGTERM)
        #expect(first.waitForExit() == 0)
        let closed = try riders.filter { try !$0.isQuiet(forMilliseconds: 0) }
        #expect(closed.count == here)
        for rider in closed { #expect(try rider.expectClose().code == 1012) }
        for _ in 0..<20 { #expect(try second.connect().get("/readyz").status == 200) }
        #expect(try second.openSessions() == there)
    }
}
