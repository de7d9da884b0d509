import Testing

@testable import TiffinLiveCore

@Suite("RFC 7517: keys that sign")
struct SigningKeyTests {
    static func error(_ json: String, keyID: String? = nil) -> String? {
        do {
            _ = try SigningKey.read(Array(json.utf8), keyID: keyID)
            return nil
        } catch {
            return error.description
        }
    }

    @Test("A key survives being written and read, alone and in a set", arguments: SignatureAlgorithm.allCases)
    func roundTrip(_ algorithm: SignatureAlgorithm) throws {
        let key = try TestKeys.first(algorithm)
        let keys = try KeySet.read(Array(key.publicJWKS.utf8))
        for text in [key.privateJWK, "{\"keys\":[\(key.privateJWK)]}"] {
            let again = try SigningKey.read(Array(text.utf8))
            #expect(again.algorithm == algorithm)
            #expect(again.keyID == "first")
            #expect(again.privateJWK == key.privateJWK)
            #expect(again.publicJWKS == key.publicJWKS)
            let token = try again.sign(claims: ["sub": "5521", "exp": 2])
            #expect(
                TokenVerifier(keys: keys, policy: TokenPolicy(), cacheCapacity: 8).check(token, wall: 0).accepted != nil
            )
        }
    }

    @Test("The public set holds nothing private", arguments: SignatureAlgorithm.allCases.filter { !$0.isSymmetric })
    func publicOnly(_ algorithm: SignatureAlgorithm) throws {
        let key = try TestKeys.first(algorithm, kid: nil)
        for name in ["\"d\"", "\"p\"", "\"q\"", "\"dp\"", "\"dq\"", "\"qi\"", "\"k\"", "\"kid\""] {
            #expect(!key.publicJWKS.contains(name))
        }
        #expect(key.privateJWK.contains("\"d\""))
        #expect(throws: KeySetError.self) { try KeySet.read(Array(key.privateJWK.utf8)) }
    }

    @Test("Of several keys the named one is read")
    func several() throws {
        let first = try SigningKey.generate(.ES256, keyID: "a")
        let second = try SigningKey.generate(.EdDSA, keyID: "b")
        let set = "{\"keys\":[\(first.privateJWK),\(second.privateJWK)]}"
        #expect(try SigningKey.read(Array(set.utf8), keyID: "b").algorithm == .EdDSA)
        #expect(Self.error(set)?.contains("several") == true)
        #expect(Self.error(set, keyID: "c")?.contains("not in the file") == true)
    }

    @Test("What is no signing key is refused with a reason that holds no key material")
    func refused() throws {
        let ec = try SigningKey.generate(.ES256, keyID: "a")
        let other = try SigningKey.generate(.ES256, keyID: "a")
        let members = try #require(try JSONReader.read(Array(ec.privateJWK.utf8)).objectValue)
        let otherMembers = try #require(try JSONReader.read(Array(other.privateJWK.utf8)).objectValue)
        func changed(_ changes: JSONObject) -> String {
            var members = members
            for member in changes.members { members[member.name] = member.value }
            return JSONValue.object(members).jsonText
        }
        var mixed = members
        mixed["d"] = otherMembers["d"]
        let cases = [
            "", "[]", "{}", #"{"keys":[]}"#, changed(["alg": .null]), changed(["alg": "RS256"]), changed(["kid": 1]),
            changed(["d": "AAAA"]), changed(["d": "="]), changed(["crv": "P-384"]), changed(["x": "AAAA"]),
            JSONValue.object(mixed).jsonText,
            try #require(try JSONReader.read(Array(ec.publicJWKS.utf8))["keys"]?.arrayValue?.first).jsonText,
            #"{"kty":"oct","alg":"HS256","k":"AAAA"}"#,
        ]
        for json in cases {
            let error = Self.error(json)
            #expect(error != nil, "\(json)")
            #expect(error?.contains(members["d"]?.stringValue ?? "?") != true)
        }
    }

    @Test("Parts of two RSA or Ed25519 keys do not make one")
    func mixedPairs() throws {
        for (algorithm, name) in [(SignatureAlgorithm.EdDSA, "d"), (.RS256, "d"), (.RS256, "n")] {
            let one = try TestKeys.first(algorithm)
            let two = try TestKeys.second(algorithm)
            var members = try #require(try JSONReader.read(Array(one.privateJWK.utf8)).objectValue)
            members[name] = try JSONReader.read(Array(two.privateJWK.utf8))[name]
            #expect(Self.error(JSONValue.object(members).jsonText) != nil, "\(algorithm) \(name)")
        }
    }

    @Test("A kid of 0 or more than 256 bytes is not given")
    func keyIDs() {
        #expect(throws: SigningKeyError.self) { try SigningKey.generate(.HS256, keyID: "") }
        #expect(throws: SigningKeyError.self) {
            try SigningKey.generate(.HS256, keyID: String(repeating: "k", count: 257))
        }
    }

    @Test("The header names algorithm, type and key")
    func header() throws {
        let token = TokenFactory.es256.token(exp: 10)
        let header = try #require(token.split(separator: ".").first)
        #expect(
            JSONValue.string(String(header)).base64URLBytes
                == Array(#"{"alg":"ES256","typ":"JWT","kid":"test-key"}"#.utf8))
    }
}
