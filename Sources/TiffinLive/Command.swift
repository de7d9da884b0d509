/// One command of the executable: arguments in, exit code out.
protocol Command {
    static var name: String { get }
    /// A line for the overview.
    static var summary: String { get }
    /// The line that shows how it is called.
    static var usage: String { get }
    /// What a reader of `help NAME` gets below the usage.
    static var details: String { get }
    static var options: [Option] { get }
    /// The most words it takes besides options.
    static var operandLimit: Int { get }

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32
}

extension Command {
    static var options: [Option] { [] }
    static var operandLimit: Int { 0 }
    static var details: String { "" }
}
