/// The routes of the configuration in its order; the first that matches a path counts.
struct RouteTable: Sendable {
    let routes: [Route]

    /// A route with its position in the table and what the variables of its path stand for.
    struct Match: Sendable {
        let index: Int
        let route: Route
        let variables: Variables
    }

    init(_ routes: [Route]) {
        self.routes = routes
    }

    /// - Parameter segments: `RequestTarget.segments`; nil is the path of no route.
    func match(_ segments: [String]?) -> Match? {
        guard let segments else { return nil }
        for (index, route) in routes.enumerated() {
            if let variables = route.pattern.match(segments) {
                return Match(index: index, route: route, variables: variables)
            }
        }
        return nil
    }
}
