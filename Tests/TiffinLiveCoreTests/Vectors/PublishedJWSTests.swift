import Testing

@testable import TiffinLiveCore

@Suite("RFC 7515, 7520, 7797, 8037: published tokens")
struct PublishedJWSTests {
    static func keySet(_ jwk: JSONValue, algorithm: String) throws -> KeySet {
        var members = jwk.objectValue ?? JSONObject()
        members["alg"] = .string(algorithm)
        for name in ["d", "p", "q", "dp", "dq", "qi"] where members["kty"] != "oct" { members.remove(name) }
        return try KeySet.read(Array(JSONValue.object(members).jsonText.utf8))
    }

    @Test(
        "The cookbook's compact tokens verify",
        arguments: [
            ("jws/4_1.rsa_v15_signature", "RS256"), ("jws/4_3.ecdsa_signature", "ES512"),
            ("jws/4_4.hmac-sha2_integrity_protection", "HS256"), ("curve25519/jws", "EdDSA"),
        ])
    func cookbook(_ file: String, _ algorithm: String) throws {
        let example = try VectorFile.read("jose-cookbook/\(file).json")
        let keys = try Self.keySet(example["input"]?["key"] ?? .null, algorithm: algorithm)
        let token = try #require(example["output"]?["compact"]?.stringValue)
        let payload = try SignatureLayer.payload(of: token, keys: keys)
        #expect(String(decoding: payload, as: UTF8.self) == example["input"]?["payload"]?.stringValue)
        // The payload is prose: as a token it is refused, before its signature is looked at.
        let verifier = TokenVerifier(keys: keys, policy: TokenPolicy(), cacheCapacity: 8)
        #expect(verifier.check(token, wall: 0).refusal == .claimsNotJSON)
        #expect(verifier.signatureCount == 0)
    }

    @Test(
        "Detached content, JSON serializations and unencoded payloads are refused",
        arguments: [
            "jws/4_5.signature_with_detached_content", "jws/4_6.protecting_specific_header_fields",
            "jws/4_7.protecting_content_only", "jws/4_8.multiple_signatures", "hmac-sha2_b64_false",
            "jwe/5_3.key_wrap_using_pbes2-aes-keywrap_with-aes-cbc-hmac-sha2", "jwe/5_9.compressed_content",
        ])
    func refused(_ file: String) throws {
        let example = try VectorFile.read("jose-cookbook/\(file).json")
        let forms = (example["output"]?.objectValue?.members ?? []).map { $0.value.stringValue ?? $0.value.jsonText }
        #expect(!forms.isEmpty)
        for form in forms {
            #expect(TokenFactory.hs256.verifier().check(form, wall: 0).refusal != nil)
        }
    }

    @Test("Private keys of the cookbook are refused in a key set and read as signing keys")
    func privateKeys() throws {
        for (file, algorithm) in [("3_2.ec_private_key", "ES512"), ("3_4.rsa_private_key", "RS256")] {
            var members = try #require(try VectorFile.read("jose-cookbook/jwk/\(file).json").objectValue)
            members["alg"] = .string(algorithm)
            let json = Array(JSONValue.object(members).jsonText.utf8)
            #expect(throws: KeySetError.self) { try KeySet.read(json) }
            let key = try SigningKey.read(json)
            let keys = try KeySet.read(Array(key.publicJWKS.utf8))
            let token = try key.sign(claims: ["a": 1])
            #expect(throws: Never.self) { try SignatureLayer.payload(of: token, keys: keys) }
        }
    }

    @Test("The tokens printed in the RFCs get the verdict printed there")
    func printed() throws {
        var valid = 0
        for vector in try VectorFile.read("rfc/rfc_vectors.json")["jws"]?.arrayValue ?? [] {
            guard let token = vector["compact"]?.stringValue, let algorithm = vector["alg"]?.stringValue else {
                continue
            }
            let isGood: Bool
            if let keys = try? Self.keySet(vector["jwk"] ?? .null, algorithm: algorithm) {
                isGood = (try? SignatureLayer.payload(of: token, keys: keys)) != nil
            } else {
                isGood = false
            }
            #expect(isGood == (vector["signature"] == "valid"), "\(vector["name"]?.stringValue ?? token)")
            valid += isGood ? 1 : 0
        }
        #expect(valid >= 4)
    }

    @Test("RFC 7515 A.1's claims are refused as expired today and accepted the moment before")
    func expiry() throws {
        let vectors = try VectorFile.read("rfc/rfc_vectors.json")["jws"]?.arrayValue ?? []
        let vector = try #require(vectors.first { $0["alg"] == "HS256" && $0["signature"] == "valid" })
        let keys = try Self.keySet(vector["jwk"] ?? .null, algorithm: "HS256")
        var policy = TokenPolicy()
        policy.userClaim = "iss"
        let verifier = TokenVerifier(keys: keys, policy: policy, cacheCapacity: 8)
        let token = try #require(vector["compact"]?.stringValue)
        let end = 1_300_819_380 * Nanoseconds.second
        #expect(verifier.check(token, wall: end).refusal == .expired)
        #expect(verifier.check(token, wall: end - 1).accepted?.user == "joe")
    }
}
