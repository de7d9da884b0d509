/// The cookie that browsers sign in with (contract section 4): its name, and what its value is.
struct SessionCookie: Sendable {
    let name: String
    /// The command that turns the value, an opaque id, into an identity; nil = the value is a JWT.
    let lookup: [Template]?

    static let maximumIDBytes = 256

    /// The command for an id, ready to send; nil when the value has no shape that may be put into a key. A colon is not
    /// allowed: with one the id could name a key of another kind.
    func command(for id: [UInt8]) -> [String]? {
        guard let lookup, Self.isID(id) else { return nil }
        let text = String(decoding: id, as: UTF8.self)
        return lookup.map { template in
            template.parts.map { part in
                switch part {
                case .literal(let literal): literal
                case .variable: text
                }
            }.joined()
        }
    }

    /// 1 to 256 letters, digits and `-._~+/=%`: every usual way of writing random bytes.
    static func isID(_ bytes: [UInt8]) -> Bool {
        guard !bytes.isEmpty, bytes.count <= maximumIDBytes else { return false }
        return bytes.allSatisfy { byte in
            switch byte {
            case ASCII.minus, ASCII.dot, ASCII.underscore, ASCII.slash, ASCII.equals, ASCII.percent, 0x7E, 0x2B: true
            default: ASCII.isLetter(byte) || ASCII.isDigit(byte)
            }
        }
    }
}
