import Testing

@testable import TiffinLiveCore

@Suite("RFC 7517: key sets")
struct KeySetTests {
    static func error(_ json: String) -> String? {
        do {
            _ = try KeySet.read(Array(json.utf8))
            return nil
        } catch {
            return error.description
        }
    }

    static func error(_ keys: JSONObject...) -> String? {
        error(JSONValue.object(["keys": .array(keys.map { .object($0) })]).jsonText)
    }

    /// The public JWK of a new key, its members changed.
    static func jwk(_ algorithm: SignatureAlgorithm, kid: String? = "a", _ changes: JSONObject = [:]) throws
        -> JSONObject
    {
        let key = try TestKeys.first(algorithm, kid: kid)
        let set = try JSONReader.read(Array(key.publicJWKS.utf8))
        var members = set["keys"]?.arrayValue?.first?.objectValue ?? JSONObject()
        for member in changes.members { members[member.name] = member.value }
        return members
    }

    static func without(_ name: String, _ members: JSONObject) -> JSONObject {
        var members = members
        members.remove(name)
        return members
    }

    @Test("Every accepted algorithm has a key form that is read", arguments: SignatureAlgorithm.allCases)
    func kinds(_ algorithm: SignatureAlgorithm) throws {
        let set = try KeySet.read(Array(TestKeys.first(algorithm, kid: "a").publicJWKS.utf8))
        #expect(set.count == 1)
        #expect(set.keys[0].algorithm == algorithm)
        #expect(set.keys[0].keyID == "a")
        #expect(set.notes.isEmpty)
    }

    @Test("One JWK alone is a set of one; Ed25519 pins the same as EdDSA; key_ops with verify is fine")
    func forms() throws {
        let one = try Self.jwk(.EdDSA, ["alg": "Ed25519", "key_ops": ["verify"]])
        let set = try KeySet.read(Array(JSONValue.object(one).jsonText.utf8))
        #expect(set.keys.map(\.algorithm) == [.EdDSA])
    }

    @Test(
        "What is no key set is refused",
        arguments: [
            "", "{", "[]", "{}", "null", #"{"keys":{}}"#, #"{"keys":[]}"#, #"{"keys":[1]}"#, #"{"keys":[{}]}"#,
            #"{"keys":[],"keys":[]}"#, #"{"keys":[{"kty":"oct","kty":"RSA"}]}"#, #"{"keys":[{"kty":1}]}"#,
        ])
    func notASet(_ json: String) {
        #expect(Self.error(json) != nil)
    }

    @Test("K2: a file over 1 MiB or with more than 1,000 keys is refused")
    func size() {
        #expect(Self.error(String(repeating: " ", count: 1 << 20) + "{}")?.contains("1 MiB") == true)
        let many = Array(repeating: #"{"kty":"x"}"#, count: 1001).joined(separator: ",")
        #expect(Self.error("{\"keys\":[\(many)]}")?.contains("1000") == true)
    }

    @Test("K1: each fault of one key refuses the file and names the key and the fault")
    func faults() throws {
        let ec = try Self.jwk(.ES256)
        let rsa = try Self.jwk(.RS256)
        let cases: [(JSONObject, String)] = [
            (Self.without("alg", ec), "no \"alg\""),
            (Self.without("x", ec), "no \"x\""),
            (Self.without("y", ec), "no \"y\""),
            (Self.without("crv", ec), "P-256"),
            (try Self.jwk(.ES256, ["alg": 1]), "not text"),
            (try Self.jwk(.ES256, ["alg": "ES384"]), "P-384"),
            (try Self.jwk(.ES384, ["alg": "ES256"]), "P-256"),
            (try Self.jwk(.ES256, ["alg": "HS256"]), "kty"),
            (try Self.jwk(.ES256, ["alg": "RS256"]), "kty"),
            (try Self.jwk(.ES256, ["x": ec["y"] ?? .null]), "curve"),
            (try Self.jwk(.ES256, ["x": "AAAA"]), "coordinate"),
            (try Self.jwk(.ES256, ["x": "A+=="]), "base64url"),
            (try Self.jwk(.ES256, ["d": "AAAA"]), "private"),
            (try Self.jwk(.EdDSA, ["crv": "Ed448"]), "Ed25519"),
            (try Self.jwk(.EdDSA, ["crv": "X25519"]), "Ed25519"),
            (try Self.jwk(.EdDSA, ["x": "AAAA"]), "32 bytes"),
            (try Self.jwk(.EdDSA, ["x": .string(Base64.encodeURL([UInt8](repeating: 0, count: 32)))]), "small order"),
            (try Self.jwk(.RS256, ["e": "AQ"]), "exponent"),
            (try Self.jwk(.RS256, ["e": "Ag"]), "exponent"),
            (try Self.jwk(.RS256, ["n": .string(Base64.encodeURL([UInt8](repeating: 255, count: 128)))]), "too short"),
            (try Self.jwk(.RS256, ["n": .string(Base64.encodeURL([UInt8](repeating: 255, count: 1025)))]), "too long"),
            (try Self.jwk(.RS256, ["qi": "AAAA"]), "private"),
            (Self.without("e", rsa), "no \"e\""),
            (try Self.jwk(.HS256, ["k": ""]), "too short"),
            (try Self.jwk(.HS256, ["k": .string(Base64.encodeURL([UInt8](repeating: 1, count: 31)))]), "too short"),
            (try Self.jwk(.HS512, ["k": .string(Base64.encodeURL([UInt8](repeating: 1, count: 63)))]), "too short"),
            (try Self.jwk(.ES256, ["kid": 7]), "kid"),
            (try Self.jwk(.ES256, ["kid": ""]), "kid"),
            (try Self.jwk(.ES256, ["kid": .string(String(repeating: "k", count: 257))]), "kid"),
            (try Self.jwk(.ES256, ["use": 1]), "use"),
            (try Self.jwk(.ES256, ["key_ops": "verify"]), "key_ops"),
        ]
        for (members, word) in cases {
            let error = Self.error(members)
            #expect(error?.contains(word) == true, "\(word): \(error ?? "accepted")")
            #expect(error?.hasPrefix("key 1") == true)
            // The fault is not hidden by a good key beside it.
            #expect(Self.error(try Self.jwk(.ES256, kid: "good"), members)?.hasPrefix("key 2") == true, "\(word)")
        }
    }

    @Test("K1: equal kids, keys without kid among several, and both families together are refused")
    func together() throws {
        let error = Self.error(try Self.jwk(.ES256, kid: "a"), try Self.jwk(.ES256, kid: "a"))
        #expect(error == "key 2 (kid \"a\") has the same \"kid\" as another key")
        #expect(
            Self.error(try Self.jwk(.ES256, kid: "a"), try Self.jwk(.ES256, kid: nil))?.contains("no \"kid\"") == true)
        #expect(Self.error(try Self.jwk(.ES256, kid: "a"), try Self.jwk(.HS256, kid: "b"))?.contains("mixes") == true)
        #expect(Self.error(try Self.jwk(.ES256, kid: nil)) == nil)
        #expect(Self.error(try Self.jwk(.ES256, kid: "a"), try Self.jwk(.RS256, kid: "b")) == nil)
        #expect(Self.error(try Self.jwk(.HS256, kid: "a"), try Self.jwk(.HS512, kid: "b")) == nil)
    }

    @Test("Keys for something else are left out with a note, and a set of nothing but them is refused")
    func notes() throws {
        let others: [JSONObject] = [
            ["kty": "AKP", "alg": "ML-DSA-44", "kid": "pq"], try Self.jwk(.RS256, kid: "enc", ["use": "enc"]),
            try Self.jwk(.ES256, kid: "ops", ["key_ops": ["sign"]]), try Self.jwk(.RS256, kid: "ps", ["alg": "PS512"]),
            try Self.jwk(.HS256, kid: "wrap", ["alg": "A256KW"]),
        ]
        for other in others {
            #expect(Self.error(other)?.contains("no key") == true)
            let both: JSONValue = ["keys": [.object(other), .object(try Self.jwk(.ES256))]]
            let set = try KeySet.read(Array(both.jsonText.utf8))
            #expect(set.count == 1)
            #expect(set.notes.count == 1)
            #expect(set.notes.first?.hasPrefix("key 1 (kid \"") == true)
        }
    }

    @Test("No error and no note shows key material or a kid that could break a line")
    func silence() throws {
        let secret = Base64.encodeURL([UInt8](repeating: 0x5A, count: 20))
        let error = try #require(Self.error(try Self.jwk(.HS256, kid: "a\nb\"", ["k": .string(secret)])))
        #expect(!error.contains(secret))
        #expect(!error.contains("\n"))
    }

    @Test("A printed key set shows no secret")
    func printing() throws {
        let secret: [UInt8] = [211, 212, 213] + [UInt8](repeating: 214, count: 40)
        let members = try Self.jwk(.HS256, ["k": .string(Base64.encodeURL(secret))])
        let text = "\(try KeySet.read(Array(JSONValue.object(members).jsonText.utf8)))"
        #expect(text.contains("secret"))
        #expect(!text.contains("214") && !text.contains(Base64.encodeURL(secret)))
    }

    @Test("B38: the kid picks the key, without one only a single key can be meant, and its algorithm must agree")
    func selection() throws {
        let two: JSONValue = [
            "keys": [.object(try Self.jwk(.ES256, kid: "a")), .object(try Self.jwk(.RS256, kid: "b"))]
        ]
        let several = try KeySet.read(Array(two.jsonText.utf8))
        let one = try KeySet.read(Array(JSONValue.object(try Self.jwk(.ES256, kid: "a")).jsonText.utf8))
        func select(_ keys: KeySet, _ header: String) -> Result<Int, JWTError> {
            do throws(JWTError) {
                return .success(try keys.index(for: JOSEHeader(json: Array(header.utf8))))
            } catch {
                return .failure(error)
            }
        }
        #expect(select(several, #"{"alg":"ES256","kid":"a"}"#) == .success(0))
        #expect(select(several, #"{"alg":"RS256","kid":"b"}"#) == .success(1))
        #expect(select(several, #"{"alg":"RS256","kid":"a"}"#) == .failure(.algorithmNotOfKey))
        #expect(select(several, #"{"alg":"PS256","kid":"b"}"#) == .failure(.algorithmNotOfKey))
        #expect(select(several, #"{"alg":"RS256"}"#) == .failure(.keyIDMissing))
        #expect(select(one, #"{"alg":"ES256"}"#) == .success(0))
        #expect(select(one, #"{"alg":"ES384"}"#) == .failure(.algorithmNotOfKey))
        for kid in ["A", "a ", "../../dev/null", "'", "a\\u0000", "\\r\\n", "|id", "https://a.example", "__proto__"] {
            #expect(select(one, "{\"alg\":\"ES256\",\"kid\":\"\(kid)\"}") == .failure(.keyUnknown))
        }
    }

    @Test("The fingerprint changes with material, kid and algorithm, and with nothing else")
    func fingerprints() throws {
        let members = try Self.jwk(.RS256)
        func fingerprint(_ changes: JSONObject) throws -> SHA256Digest {
            var changed = members
            for member in changes.members { changed[member.name] = member.value }
            return try KeySet.read(Array(JSONValue.object(changed).jsonText.utf8)).keys[0].fingerprint
        }
        let plain = try fingerprint([:])
        let other = try JSONReader.read(Array(TestKeys.second(.RS256).privateJWK.utf8))["n"] ?? .null
        #expect(try fingerprint(["x5t": "abc", "use": "sig"]) == plain)
        #expect(try fingerprint(["kid": "b"]) != plain)
        #expect(try fingerprint(["alg": "PS256"]) != plain)
        #expect(try fingerprint(["n": other]) != plain)
    }
}
