extension HTTPResponse {
    static let notFound = json(404, error: "not_found")

    static func methodNotAllowed(_ allowed: String) -> HTTPResponse {
        json(405, error: "method_not_allowed", fields: [("Allow", allowed)])
    }

    static func json(_ value: JSONValue) -> HTTPResponse {
        json(200, body: value.bytes)
    }
}
