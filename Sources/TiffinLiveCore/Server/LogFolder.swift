/// Folds lines that a storm repeats: of equal ones within a window the first goes out at once, the others are counted,
/// and at the end of the window one line says how many there were. Pure; `now` is the monotonic clock.
///
/// Equal are lines of one event, level and key. There are at most 1,024 keys at a time; beyond, lines are equal when their
/// event is, so that memory stays bounded whatever the keys are made of.
struct LogFolder {
    static let maximumKeys = 1024

    /// Nanoseconds; 0 = nothing is folded.
    var window: Nanoseconds

    /// What stands for the lines that were counted.
    struct Summary: Equatable {
        let level: LogLevel
        let event: LogEvent
        /// The fields of the first line, as they were written.
        let fields: [UInt8]
        /// The lines besides the first.
        let count: UInt64
    }

    private struct Key: Hashable {
        let event: LogEvent
        let level: LogLevel
        let text: String?
    }

    private struct Entry {
        let end: Nanoseconds
        var count: UInt64 = 0
        var fields: [UInt8] = []
    }

    private var entries: [Key: Entry] = [:]
    /// Not later than the end of any window.
    private var firstEnd = Nanoseconds.max

    init(window: Nanoseconds) {
        self.window = window
    }

    var isEmpty: Bool { entries.isEmpty }

    /// What is to become of a line.
    enum Verdict: Equatable {
        case write
        /// Write it and hand its fields in with `keep`, for the summary.
        case writeFirst
        case folded
    }

    /// Asks for one line. Windows that are over must have been taken with `takeEnded` to be told of.
    mutating func judge(_ level: LogLevel, _ event: LogEvent, key text: String, now: Nanoseconds) -> Verdict {
        guard window > 0 else { return .write }
        let key = self.key(level, event, text)
        guard let entry = entries[key] else {
            let end = now.clampedAdding(window)
            entries[key] = Entry(end: end)
            firstEnd = min(firstEnd, end)
            return .writeFirst
        }
        // Counted even when the window is over: the summary has not gone out yet.
        entries[key]?.count = entry.count &+ 1
        return .folded
    }

    /// Keeps the fields of the line that `judge` called the first.
    mutating func keep(_ fields: [UInt8], _ level: LogLevel, _ event: LogEvent, key text: String) {
        entries[key(level, event, text)]?.fields = fields
    }

    /// The summaries of the windows that are over, in no particular order.
    mutating func takeEnded(now: Nanoseconds) -> [Summary] {
        guard now >= firstEnd else { return [] }
        var summaries: [Summary] = []
        firstEnd = .max
        for (key, entry) in entries {
            if entry.end <= now {
                if let summary = Self.summary(key, entry) { summaries.append(summary) }
                entries[key] = nil
            } else {
                firstEnd = min(firstEnd, entry.end)
            }
        }
        return summaries
    }

    /// All summaries, for the end of the run.
    mutating func takeAll() -> [Summary] {
        let summaries = entries.compactMap { Self.summary($0, $1) }
        entries.removeAll()
        firstEnd = .max
        return summaries
    }

    private static func summary(_ key: Key, _ entry: Entry) -> Summary? {
        guard entry.count > 0 else { return nil }
        return Summary(level: key.level, event: key.event, fields: entry.fields, count: entry.count)
    }

    private func key(_ level: LogLevel, _ event: LogEvent, _ text: String) -> Key {
        let key = Key(event: event, level: level, text: text)
        let isNew = entries.count >= Self.maximumKeys && entries[key] == nil
        return isNew ? Key(event: event, level: level, text: nil) : key
    }
}
