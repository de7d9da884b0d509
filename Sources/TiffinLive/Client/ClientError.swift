/// Why a conversation with a server failed; continues a sentence.
struct ClientError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }

    static let tooLate = ClientError("the server did not answer in time")
    static let ended = ClientError("the server ended the connection")
}
