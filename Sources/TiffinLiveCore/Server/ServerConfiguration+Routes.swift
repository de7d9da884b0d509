extension ServerConfiguration {
    /// Who may have the topics of one shape: `role`, every member of `claims`, and `owner`, as far as given.
    struct Topic: Equatable, Sendable {
        /// `riders:{rider}`.
        var template: String
        var role: String?
        /// Name of a claim and the template that it must equal, or contain when it is an array.
        var claims: [Claim] = []
        /// A read-only command whose answer must be the user, or 1; empty = none.
        var owner: [String] = []

        struct Claim: Equatable, Sendable {
            var name: String
            var value: String
        }

        static let defaults = [
            Topic(template: "riders:{rider}", role: "rider", claims: [Claim(name: "sub", value: "{rider}")]),
            Topic(template: "orders:{order}", role: "customer", owner: ["HGET", "order:{order}", "customer_id"]),
            Topic(
                template: "restaurants:{restaurant}", role: "restaurant",
                claims: [Claim(name: "restaurants", value: "{restaurant}")]),
        ]
    }

    /// What a path opens.
    struct Route: Equatable, Sendable {
        /// `/orders/{order}/events`.
        var path: String
        var transports: [Transport] = []
        var topics: [String] = []
        var credentials: [CredentialKind] = [.bearer]
        /// Application messages of the client are handed to the backends.
        var inbound = false
        var refuse = Refusal.status
        /// Answers every message with itself and obeys none.
        var echo = false

        enum Transport: String, CaseIterable, Sendable {
            case websocket, sse
        }

        enum CredentialKind: String, CaseIterable, Sendable {
            case bearer, cookie, ticket
        }

        /// How a handshake is refused: by an HTTP status, or by accepting and closing at once.
        enum Refusal: String, CaseIterable, Sendable {
            case status, close
        }

        static let defaults = [
            Route(path: "/rider/socket", transports: [.websocket], topics: ["riders:{sub}"], inbound: true),
            Route(
                path: "/orders/{order}/events", transports: [.sse, .websocket], topics: ["orders:{order}"],
                credentials: [.bearer, .cookie]),
            Route(
                path: "/restaurants/{restaurant}/events", transports: [.sse, .websocket],
                topics: ["restaurants:{restaurant}"], credentials: [.bearer, .cookie, .ticket]),
        ]
    }
}
