/// The routes of the configuration in its order; the first that matches a path counts.
struct RouteTable: Sendable {
    let routes: [Route]
    /// The paths of all routes that there have been since the start. Sessions know their route by its place here, so that
    /// they can be named after the routes have changed.
    let paths: [String]
    /// Of each route, its place in `paths`.
    private let places: [Int]

    /// A route with its place in `paths` and what the variables of its path stand for.
    struct Match: Sendable {
        let index: Int
        let route: Route
        let variables: Variables
    }

    /// - Parameter previous: the table that this one takes the place of.
    init(_ routes: [Route], after previous: RouteTable? = nil) {
        self.routes = routes
        var paths = previous?.paths ?? []
        var places: [Int] = []
        for route in routes {
            let path = route.pattern.text
            let known = paths.firstIndex { JSONObject.isSame($0, path) }
            places.append(known ?? paths.count)
            if known == nil { paths.append(path) }
        }
        self.paths = paths
        self.places = places
    }

    /// - Parameter segments: `RequestTarget.segments`; nil is the path of no route.
    func match(_ segments: [String]?) -> Match? {
        guard let segments else { return nil }
        for (route, place) in zip(routes, places) {
            if let variables = route.pattern.match(segments) {
                return Match(index: place, route: route, variables: variables)
            }
        }
        return nil
    }
}
