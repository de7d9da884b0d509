import TiffinLiveCore

/// `version`: one line.
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "prints the version"
    static let usage = "tiffin-live version"

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        Console.out("tiffin-live \(Version.text)")
        return 0
    }
}
