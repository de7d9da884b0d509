import TiffinLiveCore

/// What the page's server answers: the page, the tokens that an auth service would issue, and the operator's buttons. Under
/// any other name than the page's own it is another site's: there it serves a page that tries what it must not.
struct DemoSite: Sendable {
    /// As the `Host` field names it, such as `127.0.0.1:8090`.
    let home: String
    /// The names by which the same browser reaches us as another origin.
    let others: [String]
    let demo: DemoServer
    let operations: DemoOperations
    private let page: DemoPage
    private let strangersPage: DemoPage

    init(home: String, others: [String], demo: DemoServer, operations: DemoOperations) {
        self.home = home
        self.others = others
        self.demo = demo
        self.operations = operations
        let live = ["http://\(demo.address)", "ws://\(demo.address)"]
        page = DemoPage(
            html: PackageResources.page_html, style: PackageResources.page_css,
            scripts: [
                PackageResources.live_connection_js, PackageResources.access_js, PackageResources.wording_js,
                PackageResources.panels_js, PackageResources.page_js,
            ],
            connections: live)
        strangersPage = DemoPage(
            html: PackageResources.stranger_html, style: PackageResources.page_css,
            scripts: [PackageResources.stranger_js], connections: live)
    }

    func answer(_ request: HTTPRequest, _ body: [UInt8]) -> HTTPResponse {
        // A page that gives our address a name of its own must not be taken for ours.
        guard let host = request.fields.text("host"), host == home || others.contains(host) else {
            return .json(421, error: "misdirected")
        }
        guard let segments = request.target.segments, segments.count <= 1 else { return .json(404, error: "not_found") }
        switch (request.method, segments.first) {
        case ("GET", nil): return host == home ? page.response : strangersPage.response
        case ("GET", "about"): return about
        case ("GET", "connections") where host == home: return connections
        case ("POST", let action?) where host == home:
            // A browser always says which page a POST comes from.
            guard request.fields.text("origin") == "http://\(home)" else { return .json(403, error: "origin_refused") }
            return answer(action, body)
        default: return .json(404, error: "not_found")
        }
    }

    // MARK: What the page asks for

    private var about: HTTPResponse {
        .json([
            "live": .string("http://\(demo.address)"), "stranger": .string("http://\(others.first ?? home)/"),
            "suspended": .bool(operations.isRiderSuspended), "assigned": .bool(operations.isRiderOnOrder),
        ])
    }

    private var connections: HTTPResponse {
        guard let list = try? demo.admin.connections() else { return .json(503, error: "unavailable") }
        return .json(
            .array(
                list.map { entry in
                    .object(
                        JSONObject(
                            members: ["user", "role", "route", "transport", "topics", "deadline"].map {
                                JSONObject.Member(name: $0, value: entry[$0] ?? .null)
                            }))
                }))
    }

    private func answer(_ action: String, _ body: [UInt8]) -> HTTPResponse {
        let wishes = (try? JSONReader.read(body)) ?? [:]
        do {
            switch action {
            case "session": return try signIn(life: life(wishes))
            case "token": return try token(role: wishes["role"]?.stringValue, life: life(wishes))
            case "suspend": try operations.suspend()
            case "pardon": operations.pardon()
            case "unassign": try operations.setRiderOnOrder(false)
            case "assign": try operations.setRiderOnOrder(true)
            case "restart": operations.restart()
            default: return .json(404, error: "not_found")
            }
        } catch {
            return .json(503, error: "unavailable")
        }
        return .json([:])
    }

    /// A life that the page asks for, in seconds; below 0 for a token that has expired.
    private func life(_ wishes: JSONValue) -> Int {
        guard let wish = wishes["life"]?.numberValue?.int64 else { return DemoServer.tokenLife }
        return Int(min(max(wish, -60), Int64(DemoServer.tokenLife)))
    }

    /// Signs the customer in. Served over https, the cookie would be `Secure` too.
    private func signIn(life: Int) throws(StoryError) -> HTTPResponse {
        var response = HTTPResponse.json(["expires_in": .integer(life)])
        let token = try demo.token("7001", "customer", life: life)
        response.fields.append(
            ("Set-Cookie", "\(DemoSettings.cookieName)=\(token); Path=/; HttpOnly; SameSite=Lax"))
        return response
    }

    private func token(role: String?, life: Int) throws(StoryError) -> HTTPResponse {
        let user: String
        switch role {
        case "rider":
            guard !operations.isRiderSuspended else { return .json(403, error: "suspended") }
            user = DemoOperations.rider
        case "restaurant": user = "88"
        default: return .json(400, error: "bad_request")
        }
        let token = try demo.token(user, role ?? "", life: life)
        return .json(["token": .string(token), "expires_in": .integer(life)])
    }
}

extension HTTPResponse {
    fileprivate static func json(_ value: JSONValue) -> HTTPResponse {
        .json(
            200, body: Array(JSONWriter.text(value).utf8),
            fields: [("Cache-Control", "no-store"), ("X-Content-Type-Options", "nosniff")])
    }
}
