/// How much a log line matters; a line below `log.level` is not made at all.
enum LogLevel: UInt8, Comparable, CaseIterable, Sendable {
    case debug, info, notice, warning, error

    var name: StaticString {
        switch self {
        case .debug: "debug"
        case .info: "info"
        case .notice: "notice"
        case .warning: "warning"
        case .error: "error"
        }
    }

    static func < (left: LogLevel, right: LogLevel) -> Bool { left.rawValue < right.rawValue }
}
