/// `POST` to the path of tickets (contract section 4): credential, body, whether the path asked for is the buyer's, and then
/// the ticket itself, which the shell makes because it is a secret.
extension Session {
    mutating func serveTickets(
        _ request: HTTPRequest, rest: UnsafeRawBufferPointer, _ reading: RequestReading, _ context: SessionContext
    ) {
        let exchange = Exchange(version: request.version)
        exchange.corsFields = Self.corsFields(request, context)
        reading.exchange = exchange
        guard !answerPreflight(request, method: "POST", reading, exchange, context) else { return }
        guard request.method == "POST" else {
            return refuse(status: 405, error: "method_not_allowed", fields: [("Allow", "POST")], context)
        }
        guard !context.isDraining else {
            return refuse(status: 503, error: "draining", retryAfter: 1...5, context)
        }
        let purchase: TicketPurchase
        do throws(HTTPError) {
            let body = try HTTPBodyReader(request, limit: context.settings.limits.body)
            purchase = TicketPurchase(reading, request: request, body: body)
        } catch {
            return refuse(status: error.status, error: error.error, context)
        }
        guard let identification = identify(request, accepts: [.bearer, .cookie], isWebSocket: false, context),
            mayAdmit(context)
        else { return }
        phase = .buying(purchase)
        if request.expectsContinue, request.contentLength > 0 {
            context.output.append("HTTP/1.1 100 Continue\r\n\r\n")
        }
        switch identification {
        case .known(let buyer):
            guard mayBuy(buyer, purchase, context) else { return }
            receivedBody(rest, purchase, context)
        case .unknown(let kind):
            ask(IdentityQuestion(kind, for: .purchase(purchase)), rest: rest, context)
        }
    }

    private mutating func mayBuy(
        _ buyer: ClaimsSet, _ purchase: TicketPurchase, _ context: SessionContext
    ) -> Bool {
        guard context.settings.tickets.roles.contains(where: { JSONObject.isSame($0, buyer.role) }) else {
            refuse(status: 403, error: "forbidden", context)
            return false
        }
        purchase.buyer = buyer
        return true
    }

    /// The buyer is known now; goes on with what came meanwhile.
    mutating func resumePurchase(
        _ purchase: TicketPurchase, buyer: ClaimsSet, _ answered: PendingQuestion, _ context: SessionContext
    ) {
        guard mayBuy(buyer, purchase, context) else { return }
        deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.handshake)
        answered.held.withUnsafeBytes { receivedBody($0, purchase, context) }
        if answered.isAtEnd { receivedEnd(context) }
    }

    mutating func receivedBody(
        _ bytes: UnsafeRawBufferPointer, _ purchase: TicketPurchase, _ context: SessionContext
    ) {
        guard let buyer = purchase.buyer, var reader = purchase.body else { return }
        var consumed = 0
        let whole = reader.receive(bytes, consumed: &consumed)
        purchase.body = whole == nil ? reader : nil
        guard let whole else { return }
        let checks: [PendingQuestion.Check]?
        do throws(HTTPError) {
            checks = try readOrder(whole, buyer, purchase, context)
        } catch {
            return refuse(status: error.status, error: error.error, context)
        }
        guard let checks else { return refuse(status: 403, error: "forbidden", context) }
        let pending = PendingQuestion(.purchase(purchase), checks: checks)
        pending.held.append(contentsOf: bytes[consumed...])
        ask(pending, context)
    }

    /// What the ticket is to open, and what has to be asked about that; nil when it is not the buyer's.
    private func readOrder(
        _ body: [UInt8], _ buyer: ClaimsSet, _ purchase: TicketPurchase, _ context: SessionContext
    ) throws(HTTPError) -> [PendingQuestion.Check]? {
        guard !body.isEmpty else { return [] }
        guard let order = (try? JSONReader.read(body))?.objectValue else {
            throw .badRequest("a body that is no object")
        }
        guard let member = order["path"] else { return [] }
        guard let text = member.stringValue, text.utf8.first == ASCII.slash else {
            throw .badRequest("a path that is none")
        }
        let target = try Array(text.utf8).withUnsafeBytes { bytes in
            Result { () throws(HTTPError) in try RequestTarget.read(bytes, isOptions: false) }
        }.get()
        guard target.query.isEmpty, let path = Self.path(of: target), let match = context.routes.match(target.segments),
            match.route.credentials.contains(.ticket),
            let names = match.route.topicNames(match.variables, identity: buyer)
        else { return nil }
        purchase.path = path
        return authorize(names, buyer, context)
    }

    /// The path in the one way of writing it; nil for one that is no route's.
    static func path(of target: RequestTarget) -> String? {
        target.segments.map { "/" + $0.joined(separator: "/") }
    }

    /// Whether the buyer may have what was ordered.
    mutating func purchaseDecided(_ purchase: TicketPurchase, isGranted: Bool, _ context: SessionContext) {
        guard isGranted, let buyer = purchase.buyer else { return refuse(status: 403, error: "forbidden", context) }
        deadlines.timeout = context.now.monotonic.clampedAdding(context.settings.limits.lookup)
        context.actions.append(.storeTicket(value: Ticket.value(of: buyer, path: purchase.path)))
    }

    /// The answer to `SessionAction.storeTicket`. Only `.ok` means that the ticket is there.
    mutating func ticketStored(_ ticket: String, _ reply: StoreReply, _ context: SessionContext) {
        guard let answered = waiting, answered.isDecided, case .purchase(let purchase) = answered.question,
            let buyer = purchase.buyer
        else { return }
        guard reply == .ok else { return refuse(.unavailable, context) }
        waiting = nil
        let body: JSONValue = ["ticket": .string(ticket), "expires_in": .integer(context.settings.tickets.lifetime)]
        let fields = [("Cache-Control", "no-store")] + (purchase.reading.exchange?.corsFields ?? [])
        let closes = !purchase.keepsAlive || context.isDraining
        HTTPResponse.json(200, body: body.bytes, fields: fields)
            .append(to: context.output, date: context.date, closes: closes, version: purchase.version)
        context.actions.append(.ticketSold(buyer))
        self.answered(closes: closes, purchase.reading, context)
        guard case .readingRequest(let reading) = phase else { return }
        if !answered.held.isEmpty {
            hasReceived = true
            answered.held.withUnsafeBytes { receivedRequest($0, reading, context) }
        }
        if answered.isAtEnd { receivedEnd(context) }
    }
}
