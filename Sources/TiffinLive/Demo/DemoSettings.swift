import TiffinLiveCore

/// The settings of the demo's server: the defaults, but for what must be short enough to be watched, and for web pages.
enum DemoSettings {
    static let cookieName = "tiffin_session"

    /// As for `--set`.
    static func overrides(folder: String, listen: String, admin: String, pageOrigin: String) -> [String] {
        [
            "listen=[\(quoted(listen))]", "admin=[\(quoted(admin))]", "threads=2", "limits.connections=1000",
            "tokens.keys=\(quoted("file:\(folder)/keys.json"))",
            #"expiry.jitter="10s""#, #"expiry.warning="20s""#,
            #"drain.grace="0s""#, #"drain.spread="1s""#,
            "browser.origins=[\(quoted(pageOrigin))]", "browser.cookie.name=\(quoted(cookieName))",
            #"tickets.roles=["restaurant", "rider"]"#, "topics={\(topics)}", "routes={\(routes)}",
        ]
    }

    /// Those of the sample, and one whose right ends while the connection goes on: a rider's trip.
    private static let topics = """
        "riders:{rider}": { role: "rider", claim: { sub: "{rider}" } },
        "orders:{order}": { role: "customer", owner: ["HGET", "order:{order}", "customer_id"] },
        "trips:{order}": { role: "rider", owner: ["HGET", "order:{order}", "rider_id"] },
        "restaurants:{restaurant}": { role: "restaurant", claim: { restaurants: "{restaurant}" } },
        """

    /// Those of the sample, for apps; and the same for web pages, which cannot see a status and so are refused with a code.
    private static let routes = """
        "/rider/socket":
          { transports: ["websocket"], topics: ["riders:{sub}"], credentials: ["bearer"], inbound: true },
        "/orders/{order}/events":
          { transports: ["sse", "websocket"], topics: ["orders:{order}"], credentials: ["bearer", "cookie"] },
        "/restaurants/{restaurant}/events":
          { transports: ["sse", "websocket"], topics: ["restaurants:{restaurant}"],
            credentials: ["bearer", "cookie", "ticket"] },
        "/web/rider/socket":
          { transports: ["websocket"], topics: ["riders:{sub}"], credentials: ["ticket"], inbound: true,
            refuse: "close" },
        "/web/orders/{order}/events":
          { transports: ["sse", "websocket"], topics: ["orders:{order}"], credentials: ["cookie"], refuse: "close" },
        "/web/restaurants/{restaurant}/events":
          { transports: ["sse"], topics: ["restaurants:{restaurant}"], credentials: ["ticket"], refuse: "close" },
        """

    private static func quoted(_ text: String) -> String { JSONWriter.text(.string(text)) }
}
