import Testing

@testable import TiffinLiveCore

/// Limits that a reload changes (contract section 7.10).
@Suite("Limits that change while connections are open")
struct ConnectionDirectoryLimitTests {
    private func limits(_ settings: String...) throws -> ServerConfiguration.Limits {
        try ServerConfiguration.load(path: nil, overrides: settings).limits
    }

    private func enter(
        _ directory: ConnectionDirectory, _ user: String, handle: UInt64
    ) -> (outcome: RegistrationOutcome, replaced: UInt64?) {
        let (outcome, replaced) = directory.enter(
            user: user, address: IPAddress(version4: 1), at: .init(worker: 0, handle: handle))
        return (outcome, replaced?.handle)
    }

    @Test("a lower limit holds for those who come, and closes nobody by itself")
    func lower() throws {
        let directory = ConnectionDirectory(limits: try limits("limits.perUser=5"))
        for handle in 1...3 as ClosedRange<UInt64> {
            #expect(enter(directory, "a", handle: handle).outcome == .entered)
        }
        directory.set(limits: try limits("limits.perUser=1", "limits.connections=3"))
        #expect(directory.count == 3)
        #expect(enter(directory, "a", handle: 4).outcome == .full)
        directory.set(limits: try limits("limits.perUser=1"))
        let (outcome, replaced) = enter(directory, "a", handle: 4)
        #expect(outcome == .entered)
        #expect(replaced == 1, "the oldest gives way")
    }

    @Test("another limit by address counts those who are there")
    func byAddress() throws {
        let directory = ConnectionDirectory(limits: try limits("limits.perAddress=5"))
        for handle in 1...3 as ClosedRange<UInt64> { _ = enter(directory, "u\(handle)", handle: handle) }
        directory.set(limits: try limits("limits.perAddress=3"))
        #expect(enter(directory, "u4", handle: 4).outcome == .addressLimit)
        directory.leave(user: "u1", address: IPAddress(version4: 1), from: .init(worker: 0, handle: 1))
        #expect(enter(directory, "u4", handle: 4).outcome == .entered)
    }
}
