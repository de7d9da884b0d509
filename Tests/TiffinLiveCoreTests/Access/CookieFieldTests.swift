import Testing

@testable import TiffinLiveCore

@Suite("RFC 6265 section 4.2: cookies of a request")
struct CookieFieldTests {
    private func values(_ fields: String...) -> [String]? {
        CookieField.values(of: "sid", in: HTTPFields(fields.map { (name: "Cookie", value: $0) }))?
            .map { String(decoding: $0, as: UTF8.self) }
    }

    @Test(
        "a value is found beside others, with equals signs and in quotation marks (B28)",
        arguments: [
            ("sid=v", "v"), ("a=1; sid=v; b=2", "v"), ("a=1;sid=v", "v"), ("  sid = v  ;", "v"), ("sid=a=b==", "a=b=="),
            ("sid=\"v\"", "v"), ("sid=\"a b\"", "a b"), ("sid=\"", "\""), ("xsid=x; sid=v", "v"), ("SID=x; sid=v", "v"),
            ("sid=; sid=v", "v"), ("sid; sid=v", "v"), ("=x; sid=v", "v"), ("a=sid=x; sid=v", "v"),
        ])
    func value(field: String, expected: String) {
        #expect(values(field) == [expected])
    }

    @Test(
        "the name is matched exactly, and an empty value is none",
        arguments: [
            "", ";", "SID=v", "Sid=v", "xsid=v", "sidx=v", "s%69d=v", "\"sid\"=v", "sid=", "sid=\"\"", "sid", "sid v",
        ])
    func none(field: String) {
        #expect(values(field) == [])
    }

    @Test("copies are the same set in every order, over several fields too")
    func copies() {
        #expect(values("sid=a; sid=b") == ["a", "b"])
        #expect(values("sid=b; sid=a") == ["a", "b"])
        #expect(values("sid=b", "x=y; sid=a") == ["a", "b"])
        #expect(values("sid=a; sid=a; sid=\"a\"") == ["a"])
        #expect(values("sid=1;sid=2;sid=3;sid=4;sid=1") == ["1", "2", "3", "4"])
    }

    @Test("more than four different copies are too many in every order")
    func tooMany() {
        #expect(values("sid=1;sid=2;sid=3;sid=4;sid=5") == nil)
        #expect(values("sid=5;sid=4;sid=3;sid=2;sid=1;sid=0") == nil)
    }

    @Test("a cookie comes last of the credentials")
    func precedence() throws {
        func read(
            _ query: [RequestTarget.QueryItem], _ fields: [(name: String, value: String)], _ accepts: CredentialKinds,
            cookie: String? = "sid"
        ) -> Result<Credentials, CredentialsError> {
            let target = RequestTarget(path: "/x", segments: ["x"], query: query)
            let request = HTTPRequest(method: "GET", target: target, fields: HTTPFields(fields))
            return Result { () throws(CredentialsError) in
                try Credentials.read(request, accepts: accepts, cookie: cookie)
            }
        }
        let ticket = [RequestTarget.QueryItem(name: "ticket", value: "t")]
        let all: CredentialKinds = [.bearer, .ticket, .cookie]
        let cookie = (name: "Cookie", value: "sid=c")
        let bearer = (name: "Authorization", value: "Bearer b")
        #expect(read(ticket, [cookie, bearer], all) == .success(.bearer(Array("b".utf8))))
        #expect(read(ticket, [cookie], all) == .success(.ticket("t")))
        #expect(read([], [cookie], all) == .success(.cookie([Array("c".utf8)])))
        #expect(read(ticket, [cookie, bearer], .cookie) == .success(.cookie([Array("c".utf8)])))
        #expect(read([], [cookie], [.bearer, .ticket]) == .failure(.missing))
        #expect(read([], [cookie], all, cookie: nil) == .failure(.missing))
        #expect(read([], [], all) == .failure(.missing))
        let many = (name: "Cookie", value: (1...5).map { "sid=\($0)" }.joined(separator: ";"))
        #expect(read([], [many], all) == .failure(.tooManyCookies))
        #expect(CredentialsError.tooManyCookies.status == 401)
        #expect(CredentialsError.tooManyCookies.code == "invalid_token")
    }

    @Test("a session id is put into a key as it is, and only in a shape that names no other key")
    func sessionID() throws {
        let lookup = try ["GET", "session:{cookie}"].map { try Template($0) }
        let cookie = SessionCookie(name: "sid", lookup: lookup)
        for id in ["a", "aZ09-._~+/=%", String(repeating: "x", count: 256)] {
            #expect(cookie.command(for: Array(id.utf8)) == ["GET", "session:\(id)"])
        }
        for id in ["", "a:b", "a b", "{cookie}", "é", "a\u{0}", "a\"", String(repeating: "x", count: 257)] {
            #expect(cookie.command(for: Array(id.utf8)) == nil)
        }
        #expect(SessionCookie(name: "sid", lookup: nil).command(for: [0x61]) == nil)
    }
}
