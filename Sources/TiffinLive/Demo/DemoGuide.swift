import Glibc

/// What the demo prints first: commands that work as they are pasted. Tokens live for 90 seconds, so each command mints
/// one of its own.
struct DemoGuide {
    private let demo: DemoServer
    private let program: String

    private let page: String

    init(_ demo: DemoServer, page: String) {
        self.demo = demo
        self.page = page
        program = Self.quoted(Self.programPath)
    }

    var text: String {
        let server = "http://\(demo.address)"
        let order = "\(server)/orders/123/events"
        let board = "\(server)/restaurants/88/events"
        return """
            Open this page in a browser:  \(page)

            tiffin-live demo: \(server), admin http://\(demo.adminAddress), server log in \(demo.logPath)
            Customer 7001 has order 123, rider 5521 waits for offers, restaurant 88 watches its board.
            Tokens live for \(DemoServer.tokenLife) seconds. To paste into another terminal:

            the customer's order (event stream; ends with 4001 when the token does):
              curl -N -H "\(authorization("7001", "customer"))" \(order)
            somebody else's order (403):
              curl -i -H "\(authorization("7002", "customer"))" \(order)
            the restaurant's board:
              curl -N -H "\(authorization("88", "restaurant", " --claim 'restaurants=[\"88\"]'"))" \(board)
            the rider's WebSocket (with websocat, or any client that can send a header):
              websocat -H "\(authorization("5521", "rider"))" ws://\(demo.address)/rider/socket
              then type {"type":"ping"}
            publish an event of your own:
              \(program) publish --admin \(demo.adminAddress) --topic orders:123 --event note --data '{"text":"hello"}'
            suspend the rider (closes the sockets with 4003):
              curl -d '{"user_id":"5521","reason":"suspended"}' http://\(demo.adminAddress)/revoke
            who is connected, and the metrics:
              curl 'http://\(demo.adminAddress)/connections?user=7001'
              curl http://\(demo.adminAddress)/metrics

            """
    }

    private func authorization(_ user: String, _ role: String, _ more: String = "") -> String {
        let key = Self.quoted(demo.keyPath)
        return "Authorization: Bearer $(\(program) token --key \(key) --sub \(user) --role \(role)"
            + " --ttl \(DemoServer.tokenLife)\(more))"
    }

    /// As it was called; a bare name is found on the path again.
    private static var programPath: String { CommandLine.arguments.first ?? "tiffin-live" }

    /// For a shell.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || byte == 0x2F || byte == 0x2E || byte == 0x2D || byte == 0x5F
        }
        guard !isPlain else { return text }
        return "'" + text.split(separator: "'", omittingEmptySubsequences: false).joined(separator: #"'\''"#) + "'"
    }
}
