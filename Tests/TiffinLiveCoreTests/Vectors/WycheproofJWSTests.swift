import Testing

@testable import TiffinLiveCore

@Suite("Wycheproof: JSON Web Signature, Key and Encryption")
struct WycheproofJWSTests {
    /// `tcId` → our verdict, where it is not the file's; the reasons are in README.md beside this file.
    static let ours: [Int64: Bool] = [
        346: false, 347: false, 350: false, 351: false, 367: true, 370: true, 372: false, 373: false,
        320: false, 321: false, 322: false, 323: false, 325: false, 326: false, 327: false, 328: false,
    ]

    static func key(of group: JSONValue) -> JSONValue { group["public"] ?? group["private"] ?? .null }

    /// The token of a test: a text, or a JSON serialization that is sent as text.
    static func token(of test: JSONValue) -> String { test["jws"]?.stringValue ?? test["jws"]?.jsonText ?? "" }

    @Test("All 401 signature vectors get their verdict, and what is accepted is a large part of what is valid")
    func signatures() throws {
        var count = 0
        var accepted = 0
        for group in try VectorFile.groups("json_web_signature_test") {
            for test in group.tests {
                let expected = Self.ours[test.testID] ?? test.isMarkedValid
                let verdict = SignatureLayer.accepts(Self.token(of: test), jwks: Self.key(of: group))
                #expect(verdict == expected, "tcId \(test.testID): \(test["comment"]?.stringValue ?? "")")
                count += 1
                accepted += verdict ? 1 : 0
            }
        }
        #expect(count == 401)
        #expect(accepted == 46 - 14 + 2)
    }

    @Test("RFC 7520's ES512 token verifies once its key says ES512 in place of ES521")
    func es512() throws {
        var seen = 0
        for group in try VectorFile.groups("json_web_signature_test") {
            guard var key = Self.key(of: group).objectValue, key["alg"] == "ES521" else { continue }
            key["alg"] = "ES512"
            for test in group.tests {
                #expect(SignatureLayer.accepts(Self.token(of: test), jwks: .object(key)))
                seen += 1
            }
        }
        #expect(seen == 2)
    }

    @Test("All 26 key vectors get their verdict")
    func keys() throws {
        var count = 0
        for group in try VectorFile.groups("json_web_key_test") {
            for test in group.tests {
                let verdict = SignatureLayer.accepts(Self.token(of: test), jwks: Self.key(of: group))
                #expect(verdict == test.isMarkedValid, "tcId \(test.testID): \(test["comment"]?.stringValue ?? "")")
                count += 1
            }
        }
        #expect(count == 26)
    }

    @Test("What a sound key set refuses, it refuses at load and not only for the one token")
    func keysRefusedAtLoad() throws {
        let faulty: Set<Int64> = [1, 4, 6, 7, 8, 9, 10, 11, 12, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26]
        for group in try VectorFile.groups("json_web_key_test") {
            for test in group.tests where faulty.contains(test.testID) {
                #expect(throws: KeySetError.self, "tcId \(test.testID)") {
                    try KeySet.read(Array(Self.key(of: group).jsonText.utf8))
                }
            }
        }
    }

    @Test("No JWE passes, in whatever file it comes")
    func encryption() throws {
        var count = 0
        for name in ["json_web_encryption_test", "json_web_crypto_test"] {
            for group in try VectorFile.groups(name) {
                for test in group.tests {
                    guard let value = test["jwe"] else { continue }
                    let token = value.stringValue ?? value.jsonText
                    #expect(!SignatureLayer.accepts(token, jwks: Self.key(of: group)), "tcId \(test.testID)")
                    #expect(TokenFactory.hs256.verifier().check(token, wall: 0).refusal != nil, "tcId \(test.testID)")
                    count += 1
                }
            }
        }
        #expect(count >= 139)
    }
}
