import Testing

@testable import TiffinLiveCore

@Suite("Contract 4: origins")
struct OriginTests {
    private static let listed = ["https://app.example.com", "http://localhost:3000", "https://[::1]:8443"]
    private let policy = OriginPolicy(listed.compactMap { Origin($0) })

    private func verdict(_ origins: String...) -> OriginPolicy.Verdict {
        policy.verdict(on: HTTPFields(origins.map { (name: "Origin", value: $0) }))
    }

    @Test(
        "compare by scheme, host and port, without regard to case and with default ports (B31)",
        arguments: [
            "https://app.example.com", "https://APP.Example.COM", "HTTPS://app.example.com",
            "https://app.example.com:443", "http://localhost:3000", "https://[::1]:8443",
        ])
    func same(origin: String) {
        #expect(verdict(origin) == .listed(origin))
    }

    @Test(
        "are not taken for one that they resemble (B29, B31)",
        arguments: [
            "https://app.example.com.evil.test", "https://evilapp.example.com", "https://evilexample.com",
            "https://app.example.com@evil.test", "https://evil.test@app.example.com",
            "https://app.example.com%2eevil.test", "https://app.example.com%00", "https://app.example.com:8443",
            "http://app.example.com", "https://app.example.com/", "https://app.example.com.",
            "https://app.example.com:",
            "https://app.example.com:0443", "https://app.example.com:443:443", "https://app.example.com:65979",
            "https://app.example.com:+443", "https://.app.example.com", "https://app..example.com", "https://:443",
            "https://app.example.com https://evil.test", "https://app.example.com,https://evil.test",
            "https://app.example.com\u{0}", "app.example.com", "//app.example.com", "https:app.example.com",
            "https:/app.example.com", "https://", "null", "NULL", "", "*", "https://*", "file://",
            "wss://app.example.com",
            "https://app.example.com?x", "https://app.example.com#x", "https://app.example.com\\",
            "https://äpp.example.com",
            "http://localhost", "http://localhost:3001", "https://[::1]", "https://[::1", "https://[]:8443",
            "https://\(String(repeating: "a", count: 400)).example.com",
        ])
    func lookAlike(origin: String) {
        #expect(verdict(origin) == .foreign)
    }

    @Test("two fields are none, be they equal; no field is absent")
    func fields() {
        #expect(verdict("https://app.example.com", "https://app.example.com") == .foreign)
        #expect(verdict("https://app.example.com", "https://evil.test") == .foreign)
        #expect(verdict() == .absent)
    }

    @Test("of an empty list none is listed")
    func empty() {
        let policy = OriginPolicy()
        #expect(policy.isEmpty)
        #expect(policy.verdict(on: HTTPFields([("Origin", "https://app.example.com")])) == .foreign)
    }

    @Test("a cookie counts where the page is known to be ours", arguments: [true, false])
    func cookie(isWebSocket: Bool) {
        let none = HTTPFields()
        #expect(policy.allowsCookie(.listed("x"), isWebSocket: isWebSocket, fields: none))
        #expect(!policy.allowsCookie(.foreign, isWebSocket: isWebSocket, fields: none))
        #expect(policy.allowsCookie(.absent, isWebSocket: isWebSocket, fields: none) == !isWebSocket)
        for site in ["same-origin", "same-site", "none"] {
            let fields = HTTPFields([("Sec-Fetch-Site", site)])
            #expect(policy.allowsCookie(.absent, isWebSocket: isWebSocket, fields: fields) == !isWebSocket)
        }
        for site in ["cross-site", "Cross-Site", "same-origin, cross-site"] {
            let fields = HTTPFields([("Sec-Fetch-Site", site)])
            #expect(!policy.allowsCookie(.absent, isWebSocket: isWebSocket, fields: fields))
            #expect(policy.allowsCookie(.listed("x"), isWebSocket: isWebSocket, fields: fields))
        }
    }
}
