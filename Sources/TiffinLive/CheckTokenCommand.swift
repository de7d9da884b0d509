import TiffinLiveCore

/// `check-token`: which rule refuses a token, which the server itself never tells.
enum CheckTokenCommand: Command {
    static let name = "check-token"
    static let summary = "says whether a token would be accepted, or which rule refuses it"
    static let usage = "tiffin-live check-token --config FILE [--set KEY=VALUE]... < TOKEN"
    static let details = """
        Reads one token from standard input, so that it stands in no history and no process list, and never shows it.
        Revocations are the running server's knowledge and are not asked. Exit code 0: accepted, 1: refused.
        """
    static let options = [Option("config"), Option("set", .list)]

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        let configuration = try ConfigurationFile.load(arguments)
        let token = try TokenInput.read()
        let result: TokenCheck
        do {
            result = try TokenCheck.check(token, under: configuration)
        } catch {
            throw .failed("\(error)")
        }
        switch result {
        case .accepted(let user, let role, let seconds):
            let roleText = role.isEmpty ? "no role" : "role \(role)"
            Console.out("accepted: user \(user), \(roleText), expires in \(seconds) s")
            return 0
        case .refused(let rule):
            Console.out("refused: \(rule)")
            return CommandError.failureStatus
        }
    }
}
