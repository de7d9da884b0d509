import Testing

@testable import TiffinLiveCore

@Suite("RFC 7515 §3.1: compact serialization")
struct CompactJWSTests {
    static func error(_ token: [UInt8]) -> JWTError? {
        token.withUnsafeBytes { bytes -> JWTError? in
            do throws(JWTError) {
                _ = try CompactJWS(bytes)
                return nil
            } catch {
                return error
            }
        }
    }

    @Test("Three parts are views into the token, and the signature covers the first two with their dot")
    func parts() throws {
        try Array("ab.cde.f".utf8).withUnsafeBytes { bytes in
            let jws = try CompactJWS(bytes)
            #expect(String(validUTF8: jws.header) == "ab")
            #expect(String(validUTF8: jws.payload) == "cde")
            #expect(String(validUTF8: jws.signature) == "f")
            #expect(String(validUTF8: jws.signingInput) == "ab.cde")
        }
    }

    @Test(
        "Any other number of parts, or an empty header or signature, is no token",
        arguments: [
            "", ".", "..", "a", "a.b", "a.b.", ".b.c", "..c", "a.b.c.", "a.b.c.d", "a.b.c.d.e", "...", "a..b.c",
        ])
    func shape(_ token: String) {
        #expect(Self.error(Array(token.utf8)) == .notThreeParts)
    }

    @Test("The payload may be empty here; the claims rule refuses it")
    func emptyPayload() {
        #expect(Self.error(Array("a..c".utf8)) == nil)
        #expect(TokenFactory.hs256.verifier().check("eyJhbGciOiJIUzI1NiJ9..AAAA", wall: 0).refusal == .claimsNotJSON)
    }

    @Test("16 KiB is the end, and a million dots are not counted")
    func size() {
        let limit = CompactJWS.maximumSize
        let fitting = Array("a.".utf8) + [UInt8](repeating: 0x62, count: limit - 4) + Array(".c".utf8)
        #expect(Self.error(fitting) == nil)
        #expect(Self.error(fitting + [0x63]) == .tooLarge)
        #expect(Self.error([UInt8](repeating: 0x2E, count: 1_000_000)) == .tooLarge)
        #expect(Self.error([UInt8](repeating: 0x2E, count: limit)) == .notThreeParts)
    }
}
