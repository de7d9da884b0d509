/// How a command fails (contract section 2, exit codes).
enum CommandError: Error, Equatable {
    /// It was called wrongly.
    case usage(String)
    /// The input or the environment is at fault; a sentence with the fix.
    case failed(String)

    static let failureStatus: Int32 = 1
    static let usageStatus: Int32 = 2
}
