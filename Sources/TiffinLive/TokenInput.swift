import TiffinLiveCore

/// A token that a user hands to a command, in a file or on standard input, without the white space behind it.
enum TokenInput {
    /// In bytes; four times what a server takes, so that "too long" is the rule's answer and not ours.
    private static let limit = 64 << 10

    /// - Parameter path: nil is standard input.
    static func read(_ path: String? = nil) throws(CommandError) -> [UInt8] {
        let place = path ?? "standard input"
        var token: [UInt8]
        if let path {
            token = try FileStore.read(path)
        } else {
            guard let input = Console.input(limit: limit) else {
                throw .failed("standard input cannot be read or is longer than 64 KiB; give it one token")
            }
            token = input
        }
        while let last = token.last, last == 0x0A || last == 0x0D || last == 0x20 || last == 0x09 { token.removeLast() }
        guard !token.isEmpty else { throw .failed("\(place) is empty; give it one token") }
        return token
    }
}
