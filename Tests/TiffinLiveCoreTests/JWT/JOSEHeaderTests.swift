import Testing

@testable import TiffinLiveCore

@Suite("RFC 7515 §4, RFC 8725: the header asks for an algorithm and a key, nothing else")
struct JOSEHeaderTests {
    static func error(_ json: String) -> JWTError? {
        do {
            _ = try JOSEHeader(json: Array(json.utf8))
            return nil
        } catch {
            return error
        }
    }

    @Test("A plain header names algorithm and key")
    func plain() throws {
        let header = try JOSEHeader(json: Array(#"{"alg":"ES256","typ":"JWT","kid":"a","x5t":"b","other":[1]}"#.utf8))
        #expect(header.algorithm == .ES256)
        #expect(header.keyID == "a")
        #expect(try JOSEHeader(json: Array(#"{"alg":"HS256"}"#.utf8)).keyID == nil)
    }

    @Test("EdDSA and Ed25519 name the same algorithm (RFC 9864)")
    func edDSA() throws {
        #expect(try JOSEHeader(json: Array(#"{"alg":"Ed25519"}"#.utf8)).algorithm == .EdDSA)
        #expect(try JOSEHeader(json: Array(#"{"alg":"EdDSA"}"#.utf8)).algorithm == .EdDSA)
    }

    @Test(
        "A1, A3: none in any spelling, nothing, other types and other algorithms are refused",
        arguments: [
            #""none""#, #""None""#, #""NONE""#, #""nOnE""#, #""""#, #"" none""#, "null", "0", "[]", #"["HS256"]"#, "{}",
            "true", #""hs256""#, #""HS256 ""#, #""HS1""#, #""ES256K""#, #""ES521""#, #""Ed448""#, #""PS384""#,
            #""PS512""#, #""RSA1_5""#, #""RSA-OAEP""#, #""dir""#, #""A128KW""#, #""HS256\u0000""#,
        ])
    func algorithms(_ value: String) {
        #expect(Self.error("{\"alg\":\(value)}") == .algorithmRefused)
    }

    @Test("A1: a header without alg is refused")
    func noAlgorithm() {
        #expect(Self.error("{}") == .algorithmRefused)
        #expect(Self.error(#"{"Alg":"HS256"}"#) == .algorithmRefused)
    }

    @Test(
        "H1, H2, F3: crit, b64, zip and keys that the token brings along are refused whatever they hold",
        arguments: [
            #""crit":["exp"]"#, #""crit":[]"#, #""crit":"exp""#, #""crit":null"#, #""crit":["b64"],"b64":false"#,
            #""b64":false"#, #""b64":true"#, #""zip":"DEF""#, #""jwk":{"kty":"oct","k":"AA"}"#, #""jwk":null"#,
            #""jku":"https://a.example/k""#, #""x5u":"https://a.example/c""#, #""x5c":["AA"]"#, #""cr\u0069t":["exp"]"#,
        ])
    func refusedMembers(_ member: String) {
        #expect(Self.error("{\"alg\":\"HS256\",\(member)}") == .headerMemberRefused)
        #expect(Self.error("{\(member),\"alg\":\"HS256\"}") == .headerMemberRefused)
    }

    @Test(
        "H4: typ is JWT or at+jwt in any case, or absent",
        arguments: [
            (#""JWT""#, true), (#""jwt""#, true), (#""at+jwt""#, true), (#""AT+JWT""#, true),
            (#""application/at+jwt""#, true), (#""Application/JWT""#, true), (#""JOSE""#, true),
            (#""dpop+jwt""#, false), (#""logout+jwt""#, false), (#""secevent+jwt""#, false), (#""""#, false),
            ("null", false), ("1", false), (#"["JWT"]"#, false), (#""application/application/jwt""#, false),
        ])
    func types(_ value: String, _ isGood: Bool) {
        #expect(Self.error("{\"alg\":\"HS256\",\"typ\":\(value)}") == (isGood ? nil : .typeRefused))
    }

    @Test("F3: a nested token is refused", arguments: [#""JWT""#, #""jwt""#, #""application/jwt""#, "null", "1"])
    func nested(_ value: String) {
        #expect(Self.error("{\"alg\":\"HS256\",\"cty\":\(value)}") == .nested)
        #expect(Self.error(#"{"alg":"HS256","cty":"json"}"#) == nil)
    }

    @Test("H3: kid is a text of 1 to 256 bytes", arguments: ["null", "1", "[]", "{}", "true", #""""#])
    func keyIDs(_ value: String) {
        #expect(Self.error("{\"alg\":\"HS256\",\"kid\":\(value)}") == .keyIDInvalid)
    }

    @Test("H3: the longest kid is 256 bytes")
    func longKeyID() {
        let longest = String(repeating: "k", count: 256)
        #expect(Self.error("{\"alg\":\"HS256\",\"kid\":\"\(longest)\"}") == nil)
        #expect(Self.error("{\"alg\":\"HS256\",\"kid\":\"\(longest)k\"}") == .keyIDInvalid)
    }

    @Test(
        "F6: anything but one JSON object with every member once is refused",
        arguments: [
            "", " ", "null", "[]", "1", #""alg""#, "{", #"{"alg":"HS256"}}"#, #"{"alg":"HS256"} x"#,
            #"{"alg":"HS256","alg":"HS256"}"#, #"{"alg":"HS256","\u0061lg":"HS256"}"#,
            #"{"alg":"HS256","kid":"a","kid":"a"}"#, "\u{FEFF}{\"alg\":\"HS256\"}", #"{"alg":"HS256",}"#,
            #"{alg:"HS256"}"#, #"{"alg":"HS256","a":"\ud800"}"#, #"{"alg":"HS256","a":{"b":1,"b":2}}"#,
        ])
    func notOneObject(_ json: String) {
        #expect(Self.error(json) == .headerNotJSON)
    }

    @Test("F6: bad UTF-8 and deep nesting are refused")
    func encodings() {
        #expect(throws: JWTError.headerNotJSON) { try JOSEHeader(json: Array(#"{"alg":""#.utf8) + [0xFF, 0x22, 0x7D]) }
        let deep = String(repeating: "[", count: 1000) + String(repeating: "]", count: 1000)
        #expect(Self.error("{\"alg\":\"HS256\",\"a\":\(deep)}") == .headerNotJSON)
    }

    @Test("F5: 2 KiB is the longest header, refused before it is decoded")
    func size() {
        func error(_ count: Int) -> JWTError? {
            [UInt8](repeating: 0x41, count: count).withUnsafeBytes { bytes -> JWTError? in
                do throws(JWTError) {
                    _ = try JOSEHeader(base64URL: bytes)
                    return nil
                } catch {
                    return error
                }
            }
        }
        #expect(error(2732) == .headerTooLarge)
        #expect(error(2730) == .headerNotJSON)
    }
}
