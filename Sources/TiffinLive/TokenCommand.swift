import Glibc
import TiffinLiveCore

/// `token`: mints a token for development and tests. In production only the auth service does that.
enum TokenCommand: Command {
    static let name = "token"
    static let summary = "mints a token for development and tests"
    static let usage =
        "tiffin-live token --key FILE --sub USER [--role ROLE] [--ttl SECONDS] [--claim NAME=JSON]... [--kid NAME]"
    static let details = """
        FILE is a private JWK (as `keygen` makes it), or a set of them of which --kid names one. `iat`, `exp` and a random
        `jti` are set; --ttl is 900 when left out, and a negative one makes an expired token. --claim adds any other claim,
        or sets one of these that no option names: --claim 'restaurants=["88"]', --claim sub=5521 for a number.
        """
    static let options = [
        Option("key"), Option("sub"), Option("role"), Option("ttl"), Option("claim", .list), Option("kid"),
    ]

    /// Ten years either way: for tests of the limits, too.
    private static let longestLife = 10 * 366 * 86400

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        let path = try arguments.required("key")
        let claims = try claims(arguments, now: Glibc.time(nil))
        let json = try FileStore.read(path)
        do {
            Console.out(try SigningKey.read(json, keyID: arguments.optional("kid")).sign(claims: claims))
        } catch {
            throw .failed("\(path): \(error)")
        }
        return 0
    }

    static func claims(_ arguments: Arguments, now: Int) throws(CommandError) -> JSONObject {
        var added = JSONObject()
        for text in arguments.list("claim") {
            let claim = try claim(text)
            guard added[claim.name] == nil else {
                throw .usage("the claim \(Console.quoted(claim.name)) is given twice")
            }
            added[claim.name] = claim.value
        }
        for (option, claim) in [("sub", "sub"), ("role", "role"), ("ttl", "exp")] {
            guard !arguments.has(option) || added[claim] == nil else {
                throw .usage("--\(option) and --claim \(claim)= say the same; give one of them")
            }
        }
        let life = try arguments.integer("ttl", in: -longestLife...longestLife) ?? 900
        var claims = JSONObject()
        if added["sub"] == nil { claims["sub"] = .string(try arguments.required("sub")) }
        if let role = arguments.optional("role") { claims["role"] = .string(role) }
        // A token that has expired was issued before that.
        claims["iat"] = .integer(now + min(life, 0))
        claims["exp"] = .integer(now + life)
        claims["jti"] = .string(RandomName.make())
        for member in added.members { claims[member.name] = member.value }
        return claims
    }

    private static func claim(_ text: String) throws(CommandError) -> (name: String, value: JSONValue) {
        let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty else {
            throw .usage("--claim has the form NAME=JSON instead of \(Console.quoted(text))")
        }
        do {
            return (String(parts[0]), try JSONReader.read(Array(parts[1].utf8)))
        } catch {
            throw .usage(
                "the value of --claim \(Console.quoted(String(parts[0]))) is not JSON (a text needs quotes): \(error)")
        }
    }
}
