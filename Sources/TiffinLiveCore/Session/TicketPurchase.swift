/// A purchase of a ticket on its way (contract section 4): the request's body, the buyer, and what the ticket will open.
final class TicketPurchase {
    let reading: RequestReading
    let version: HTTPVersion
    let keepsAlive: Bool
    /// nil once the body is whole.
    var body: HTTPBodyReader?
    /// Set once the credential was accepted.
    var buyer: ClaimsSet?
    /// The only path that the ticket is to open; nil for every path that is the buyer's.
    var path: String?

    init(_ reading: RequestReading, request: HTTPRequest, body: HTTPBodyReader) {
        self.reading = reading
        self.body = body
        version = request.version
        keepsAlive = request.keepsAlive
    }
}
