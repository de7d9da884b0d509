/// A request as a client sends it (RFC 9112 §3).
struct ClientRequest {
    var method = "GET"
    var target: String
    var host: String
    var fields: [(String, String)] = []
    var body: [UInt8] = []

    var bytes: [UInt8] {
        var text = "\(method) \(target) HTTP/1.1\r\nHost: \(host)\r\n"
        for (name, value) in fields { text += "\(name): \(value)\r\n" }
        if method == "POST" { text += "Content-Length: \(body.count)\r\n" }
        return Array((text + "\r\n").utf8) + body
    }

    mutating func authorize(_ token: String) {
        fields.append(("Authorization", "Bearer \(token)"))
    }
}
