import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("Logger")
struct LoggerTests {
    /// A pipe in place of standard output.
    private final class Pipe {
        let reader: Int32
        let writer: Int32

        init() throws {
            var ends: [Int32] = [-1, -1]
            try #require(pipe(&ends) == 0)
            (reader, writer) = (ends[0], ends[1])
        }

        deinit {
            close(reader)
            close(writer)
        }

        /// What is in the pipe now.
        func lines() -> [String] {
            var bytes = [UInt8](repeating: 0, count: 1 << 20)
            let count = read(reader, &bytes, bytes.count)
            return String(decoding: bytes[..<max(count, 0)], as: UTF8.self).split(separator: "\n").map(String.init)
        }

        /// Fills the pipe so that every write to it waits.
        func fill() {
            let old = fcntl(writer, F_GETFL)
            _ = fcntl(writer, F_SETFL, old | O_NONBLOCK)
            let chunk = [UInt8](repeating: ASCII.lineFeed, count: 4096)
            while write(writer, chunk, chunk.count) > 0 {}
            while write(writer, chunk, 1) > 0 {}
            _ = fcntl(writer, F_SETFL, old)
        }
    }

    private let now = Moment(monotonic: 1, wall: 0)

    private func value(_ line: String, _ name: String) throws -> JSONValue? {
        try JSONReader.read(Array(line.utf8)).objectValue?[name]
    }

    @Test("lines come out whole and in order")
    func order() throws {
        let pipe = try Pipe()
        let logger = try Logger(descriptor: pipe.writer, level: .info, repeatWindow: 0)
        for number in 0..<100 { logger.log(.info, .listening, now: now) { $0.add("n", number) } }
        #expect(logger.flush())
        let lines = pipe.lines()
        #expect(lines.count == 100)
        for (number, line) in lines.enumerated() {
            #expect(try value(line, "n")?.numberValue?.int64 == Int64(number))
        }
    }

    @Test("a level that is off makes no line and does not ask for the fields")
    func levels() throws {
        let pipe = try Pipe()
        let logger = try Logger(descriptor: pipe.writer, level: .notice, repeatWindow: 0)
        var calls = 0
        for level in LogLevel.allCases { logger.log(level, .listening, now: now) { _ in calls += 1 } }
        #expect(calls == 3)
        logger.set(level: .error, repeatWindow: 0)
        for level in LogLevel.allCases { logger.log(level, .listening, now: now) { _ in calls += 1 } }
        #expect(calls == 4)
        logger.flush()
        #expect(
            try pipe.lines().map { try value($0, "level")?.stringValue } == ["notice", "warning", "error", "error"])
    }

    @Test("equal lines fold into one with a count, at the latest when the log is flushed")
    func folding() throws {
        let pipe = try Pipe()
        let logger = try Logger(descriptor: pipe.writer, level: .info, repeatWindow: 3600 * .second)
        let now = Clock.now()
        for number in 0..<500 {
            logger.log(.info, .handshakeRefused, now: now, fold: "token_expired") { $0.add("n", number) }
        }
        logger.log(.info, .handshakeRefused, now: now) { $0.add("n", -1) }
        #expect(logger.flush())
        let lines = pipe.lines()
        #expect(lines.count == 3)
        #expect(try lines.map { try value($0, "n")?.numberValue?.int64 } == [0, -1, 0])
        #expect(try lines.map { try value($0, "repeated")?.numberValue?.int64 } == [nil, nil, 499])
    }

    @Test("the end of a window is told without anybody logging")
    func windowEnds() throws {
        let pipe = try Pipe()
        let logger = try Logger(descriptor: pipe.writer, level: .info, repeatWindow: .millisecond)
        let now = Clock.now()
        for _ in 0..<2 { logger.log(.info, .handshakeRefused, now: now, fold: "x") }
        var lines: [String] = []
        while lines.count < 2 { lines += pipe.lines() }
        #expect(try value(lines[1], "repeated")?.numberValue?.int64 == 1)
    }

    @Test("a reader that does not read stops nobody; what was lost is counted and told")
    func overflow() throws {
        let pipe = try Pipe()
        pipe.fill()
        let logger = try Logger(descriptor: pipe.writer, level: .info, repeatWindow: 0, capacity: 10_000)
        for number in 0..<2000 { logger.log(.info, .listening, now: now) { $0.add("n", number) } }
        #expect(!logger.flush(limit: 10 * .millisecond))
        let dropped = logger.droppedLines
        #expect(dropped > 1500)
        // Told in one line or more: lines may have been lost before and after the writer got the first ones.
        var kept = 0
        var told = 0
        while kept + told < 2000 {
            for line in pipe.lines() {
                if try value(line, "event")?.stringValue == "log_dropped" {
                    told += Int(try value(line, "lines")?.numberValue?.int64 ?? 0)
                } else {
                    kept += 1
                }
            }
        }
        #expect(told == Int(dropped))
        #expect(kept + told == 2000)
        #expect(logger.flush())
        #expect(logger.droppedLines == dropped)
    }

    @Test("a reader that is gone ends nothing")
    func brokenPipe() throws {
        var ends: [Int32] = [-1, -1]
        try #require(pipe(&ends) == 0)
        close(ends[0])
        defer { close(ends[1]) }
        let logger = try Logger(descriptor: ends[1], level: .info, repeatWindow: 0)
        logger.log(.info, .listening, now: now)
        #expect(logger.flush())
        logger.log(.info, .listening, now: now)
        #expect(logger.flush())
    }

    @Test("lines of several threads do not mix")
    func threads() throws {
        let pipe = try Pipe()
        let logger = try Logger(descriptor: pipe.writer, level: .info, repeatWindow: 0)
        let now = self.now
        let threads = try (0..<4).map { thread in
            try LoopThread.start(name: "log-test") {
                for _ in 0..<50 {
                    logger.log(.info, .listening, now: now) {
                        $0.add("thread", thread)
                        $0.add("text", "some text to write")
                    }
                }
            }
        }
        for thread in threads { thread.join() }
        #expect(logger.flush())
        var lines: [String] = []
        while lines.count < 200 { lines += pipe.lines() }
        for thread in 0..<4 {
            #expect(try lines.count { try value($0, "thread")?.numberValue?.int64 == Int64(thread) } == 50)
        }
    }
}
