import Testing
import TiffinLiveCore

@testable import TiffinLive

/// The claims of `token`.
struct TokenCommandTests {
    private func claims(_ words: String...) throws -> JSONObject {
        try TokenCommand.claims(try Arguments(words, for: TokenCommand.self), now: 1000)
    }

    @Test func `Times are set from the clock, the user stays text, and every token has a name of its own`() throws {
        let claims = try claims("--sub", "5521", "--role", "rider")
        #expect(claims["sub"] == "5521")
        #expect(claims["role"] == "rider")
        #expect(claims["iat"] == 1000)
        #expect(claims["exp"] == 1900)
        #expect(claims["jti"]?.stringValue?.utf8.count == 32)
        #expect(try self.claims("--sub", "5521")["jti"] != claims["jti"])
    }

    @Test func `Without a role there is no claim of it`() throws {
        #expect(try claims("--sub", "1")["role"] == nil)
    }

    @Test func `A negative life makes a token that was issued before it expired`() throws {
        let claims = try claims("--sub", "1", "--ttl", "-60")
        #expect(claims["iat"] == 940)
        #expect(claims["exp"] == 940)
    }

    @Test func `Any claim can be added as JSON, also in place of one that no option names`() throws {
        let claims = try claims(
            "--claim", "sub=5521", "--claim", #"restaurants=["88","89"]"#, "--claim", "iat=1.5", "--claim",
            #"jti="a=b""#)
        #expect(claims["sub"] == 5521)
        #expect(claims["restaurants"] == ["88", "89"])
        #expect(claims["iat"] == .number(JSONNumber(text: "1.5")))
        #expect(claims["jti"] == "a=b")
        #expect(claims["exp"] == 1900)
    }

    @Test(arguments: [
        [], ["--sub", ""], ["--sub", "1", "--claim", "sub=2"], ["--sub", "1", "--ttl", "5", "--claim", "exp=2"],
        ["--sub", "1", "--role", "a", "--claim", #"role="b""#], ["--sub", "1", "--claim", "a=b"],
        ["--sub", "1", "--claim", "a"], ["--sub", "1", "--claim", "=1"], ["--sub", "1", "--claim", "a="],
        ["--sub", "1", "--claim", "a=1", "--claim", "a=1"], ["--sub", "1", "--claim", #"a={"b":1,"b":2}"#],
        ["--sub", "1", "--ttl", "15m"],
    ])
    func `What contradicts itself or is no JSON is a usage error`(words: [String]) throws {
        let arguments = try Arguments(words, for: TokenCommand.self)
        #expect {
            try TokenCommand.claims(arguments, now: 1000)
        } throws: { error in
            guard case .usage = error as? CommandError else { return false }
            return true
        }
    }
}
