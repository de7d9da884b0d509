import TiffinLiveCore

/// `version`: three lines.
enum VersionCommand: Command {
    static let name = "version"
    static let summary = "prints the version, the commit and how it was built"
    static let usage = "tiffin-live version"

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        Console.out(text)
        return 0
    }

    static var text: String {
        """
        tiffin-live \(Version.text)
        commit \(Version.commit)
        build \(Version.build)
        """
    }
}
