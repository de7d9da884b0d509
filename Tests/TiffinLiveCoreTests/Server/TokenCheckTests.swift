import Testing

@testable import TiffinLiveCore

/// `check-token`: the verdict with its rule, and nothing of the token.
struct TokenCheckTests {
    private static let wall: Nanoseconds = 1_800_000_000 * .second

    private func check(_ token: String, policy: TokenPolicy = TokenPolicy()) -> TokenCheck {
        TokenCheck.check(Array(token.utf8), keys: TokenFactory.es256.keySet, policy: policy, wall: Self.wall)
    }

    @Test func `A good token is accepted with its user, its role and the seconds left`() {
        let token = TokenFactory.es256.token(exp: 1_800_000_900, iat: 1_800_000_000)
        #expect(check(token) == .accepted(user: "5521", role: "rider", expiresIn: 900))
    }

    @Test func `A number as the user is the same user as text`() {
        let token = TokenFactory.es256.token(sub: 5521, role: nil, exp: 1_800_000_001)
        #expect(check(token) == .accepted(user: "5521", role: "", expiresIn: 1))
    }

    @Test func `A refusal names the rule that the server keeps to itself`() {
        #expect(check(TokenFactory.es256.token(exp: 1_800_000_000)) == .refused(rule: JWTError.expired.rule))
        #expect(check(TokenFactory.es256.token(exp: 1_800_090_000)) == .refused(rule: JWTError.lifetimeTooLong.rule))
        let other = TokenFactory(.ES256).token(exp: 1_800_000_900)
        #expect(check(other) == .refused(rule: JWTError.signatureInvalid.rule))
        #expect(check("secret") == .refused(rule: JWTError.notThreeParts.rule))
        #expect(check("") == .refused(rule: JWTError.notThreeParts.rule))
    }

    @Test func `The policy is the configuration's`() {
        let token = TokenFactory.es256.token(exp: 1_800_000_900)
        #expect(check(token, policy: TokenPolicy(audience: "live")) == .refused(rule: JWTError.audienceRefused.rule))
    }

    @Test func `A key file that cannot be read is said by its setting and name`() throws {
        let configuration = try ServerConfiguration.load(
            path: nil, overrides: [#"tokens.keys="file:/nowhere/keys.json""#])
        let error = #expect(throws: ServerError.self) { try TokenCheck.check([], under: configuration) }
        #expect(error?.description.contains("tokens.keys") == true)
        #expect(error?.description.contains("/nowhere/keys.json") == true)
    }
}
