/// Where Redis is and how to sign in there, as one text.
///
/// `redis://[user[:password]@]host[:port][/database]`, `rediss://` for TLS, `unix:/path[?db=n]` (also `unix:///path`) for
/// a socket of this machine. User and password are percent-encoded. A name is not looked up here. No part of the text is
/// repeated in an error: it may hold a password.
struct RedisURL: Equatable, Sendable {
    enum Endpoint: Hashable, Sendable {
        /// A name or an address; an IPv6 address without brackets.
        case tcp(host: String, port: UInt16)
        case unix(path: String)
    }

    static let defaultPort: UInt16 = 6379

    let endpoint: Endpoint
    let usesTLS: Bool
    let user: String?
    let password: [UInt8]?
    let database: Int

    init(_ text: String) throws(RedisURLError) {
        let bytes = Array(text.utf8)
        guard bytes.allSatisfy({ $0 > ASCII.space && $0 != ASCII.delete }) else { throw .malformed }
        if bytes.starts(with: Array("unix:".utf8)) {
            self = try RedisURL(unix: bytes.dropFirst(5))
        } else if bytes.starts(with: Array("redis://".utf8)) {
            self = try RedisURL(authority: bytes.dropFirst(8), usesTLS: false)
        } else if bytes.starts(with: Array("rediss://".utf8)) {
            self = try RedisURL(authority: bytes.dropFirst(9), usesTLS: true)
        } else {
            throw .unknownScheme
        }
    }

    private init(endpoint: Endpoint, usesTLS: Bool, user: String?, password: [UInt8]?, database: Int) {
        self.endpoint = endpoint
        self.usesTLS = usesTLS
        self.user = user
        self.password = password
        self.database = database
    }

    private init(unix rest: ArraySlice<UInt8>) throws(RedisURLError) {
        var path = rest
        if path.starts(with: [ASCII.slash, ASCII.slash]) { path = path.dropFirst(2) }
        var database = 0
        if let mark = path.firstIndex(of: ASCII.questionMark) {
            let query = path[(mark + 1)...]
            guard query.starts(with: Array("db=".utf8)) else { throw .malformed }
            database = try RedisURL.database(query.dropFirst(3))
            path = path[..<mark]
        }
        let text = String(decoding: path, as: UTF8.self)
        guard text.hasPrefix("/") else { throw .malformed }
        self.init(endpoint: .unix(path: text), usesTLS: false, user: nil, password: nil, database: database)
    }

    private init(authority rest: ArraySlice<UInt8>, usesTLS: Bool) throws(RedisURLError) {
        guard !rest.contains(ASCII.questionMark), !rest.contains(UInt8(ascii: "#")) else { throw .malformed }
        let slash = rest.firstIndex(of: ASCII.slash) ?? rest.endIndex
        var address = rest[..<slash]
        let path = rest[slash...].dropFirst()
        let database = path.isEmpty ? 0 : try RedisURL.database(path)

        var user: String?
        var password: [UInt8]?
        if let at = address.lastIndex(of: ASCII.at) {
            let credentials = address[..<at]
            address = address[(at + 1)...]
            let colon = credentials.firstIndex(of: ASCII.colon) ?? credentials.endIndex
            let name = try RedisURL.decode(credentials[..<colon])
            guard let text = String(validating: name, as: UTF8.self) else { throw .malformedCredentials }
            user = text.isEmpty ? nil : text
            let secret = try RedisURL.decode(credentials[colon...].dropFirst())
            password = secret.isEmpty ? nil : secret
        }
        let endpoint = try RedisURL.endpoint(address)
        self.init(endpoint: endpoint, usesTLS: usesTLS, user: user, password: password, database: database)
    }

    private static func endpoint(_ address: ArraySlice<UInt8>) throws(RedisURLError) -> Endpoint {
        var host = address
        var port: ArraySlice<UInt8> = []
        if address.first == ASCII.leftBracket {
            guard let end = address.firstIndex(of: ASCII.rightBracket) else { throw .malformedHost }
            host = address[(address.startIndex + 1)..<end]
            let rest = address[(end + 1)...]
            guard rest.isEmpty || rest.first == ASCII.colon else { throw .malformedHost }
            port = rest.dropFirst()
            if !rest.isEmpty, port.isEmpty { throw .malformedPort }
        } else if let colon = address.firstIndex(of: ASCII.colon) {
            host = address[..<colon]
            port = address[(colon + 1)...]
            if port.isEmpty { throw .malformedPort }
        }
        let isName = host.allSatisfy {
            ASCII.isLetter($0) || ASCII.isDigit($0)
                || [ASCII.minus, ASCII.dot, ASCII.underscore, ASCII.colon, ASCII.percent].contains($0)
        }
        guard !host.isEmpty, host.count <= 255, isName else { throw .malformedHost }
        guard !port.isEmpty else { return .tcp(host: String(decoding: host, as: UTF8.self), port: defaultPort) }
        guard let number = decimal(port), let number = UInt16(exactly: number), number > 0 else {
            throw .malformedPort
        }
        return .tcp(host: String(decoding: host, as: UTF8.self), port: number)
    }

    private static func database(_ digits: ArraySlice<UInt8>) throws(RedisURLError) -> Int {
        guard let number = decimal(digits) else { throw .malformedDatabase }
        return number
    }

    private static func decimal(_ digits: ArraySlice<UInt8>) -> Int? {
        guard !digits.isEmpty, digits.count <= 9, digits.allSatisfy(ASCII.isDigit) else { return nil }
        return digits.reduce(0) { $0 * 10 + Int($1 - ASCII.zero) }
    }

    /// Percent-decoded once (RFC 3986 §2.1).
    private static func decode(_ text: ArraySlice<UInt8>) throws(RedisURLError) -> [UInt8] {
        var decoded: [UInt8] = []
        var index = text.startIndex
        while index < text.endIndex {
            guard text[index] == ASCII.percent else {
                decoded.append(text[index])
                index += 1
                continue
            }
            guard index + 2 < text.endIndex, let high = ASCII.hexValue(text[index + 1]),
                let low = ASCII.hexValue(text[index + 2])
            else { throw .malformedCredentials }
            decoded.append(high << 4 | low)
            index += 3
        }
        return decoded
    }
}
