import Testing

@testable import TiffinLiveCore

@Suite("Log folding")
struct LogFolderTests {
    private var folder = LogFolder(window: 10)

    @Test("the first line goes out, equal ones are counted, the end of the window tells")
    mutating func folding() {
        #expect(folder.judge(.info, .handshakeRefused, key: "a", now: 100) == .writeFirst)
        folder.keep([1, 2], .info, .handshakeRefused, key: "a")
        #expect(folder.judge(.info, .handshakeRefused, key: "a", now: 101) == .folded)
        #expect(folder.judge(.info, .handshakeRefused, key: "a", now: 109) == .folded)
        #expect(folder.takeEnded(now: 109) == [])
        #expect(
            folder.takeEnded(now: 110) == [
                LogFolder.Summary(level: .info, event: .handshakeRefused, fields: [1, 2], count: 2)
            ])
        #expect(folder.isEmpty)
        #expect(folder.judge(.info, .handshakeRefused, key: "a", now: 110) == .writeFirst)
    }

    @Test("a line that stays alone has no summary")
    mutating func alone() {
        #expect(folder.judge(.info, .handshakeRefused, key: "a", now: 0) == .writeFirst)
        #expect(folder.takeEnded(now: 10) == [])
        #expect(folder.isEmpty)
    }

    @Test("lines differ by event, level and key")
    mutating func keys() {
        #expect(folder.judge(.info, .handshakeRefused, key: "a", now: 0) == .writeFirst)
        #expect(folder.judge(.info, .handshakeRefused, key: "b", now: 0) == .writeFirst)
        #expect(folder.judge(.warning, .handshakeRefused, key: "a", now: 0) == .writeFirst)
        #expect(folder.judge(.info, .acceptFailed, key: "a", now: 0) == .writeFirst)
        #expect(folder.judge(.info, .acceptFailed, key: "a", now: 0) == .folded)
    }

    @Test("windows end each in its time")
    mutating func windows() {
        _ = folder.judge(.info, .handshakeRefused, key: "a", now: 0)
        _ = folder.judge(.info, .handshakeRefused, key: "b", now: 5)
        _ = folder.judge(.info, .handshakeRefused, key: "a", now: 6)
        _ = folder.judge(.info, .handshakeRefused, key: "b", now: 6)
        #expect(folder.takeEnded(now: 10).count == 1)
        #expect(folder.takeEnded(now: 14).count == 0)
        #expect(folder.takeEnded(now: 15).count == 1)
    }

    @Test("a line after the end of a window that was not yet told of is counted in it")
    mutating func late() {
        _ = folder.judge(.info, .handshakeRefused, key: "a", now: 0)
        #expect(folder.judge(.info, .handshakeRefused, key: "a", now: 50) == .folded)
        #expect(folder.takeEnded(now: 50).map(\.count) == [1])
    }

    @Test("without a window nothing folds")
    mutating func off() {
        folder.window = 0
        for _ in 0..<3 { #expect(folder.judge(.info, .handshakeRefused, key: "a", now: 0) == .write) }
        #expect(folder.isEmpty)
    }

    @Test("beyond 1,024 keys lines fold by their event alone")
    mutating func bounded() {
        for number in 0..<1024 {
            #expect(folder.judge(.info, .handshakeRefused, key: "\(number)", now: 0) == .writeFirst)
        }
        #expect(folder.judge(.info, .handshakeRefused, key: "other", now: 0) == .writeFirst)
        for number in 0..<5000 {
            #expect(folder.judge(.info, .handshakeRefused, key: "more \(number)", now: 0) == .folded)
        }
        #expect(folder.judge(.info, .handshakeRefused, key: "7", now: 0) == .folded)
        #expect(folder.takeAll().map(\.count).sorted() == [1, 5000])
        #expect(folder.isEmpty)
    }
}
