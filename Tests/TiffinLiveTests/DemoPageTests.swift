import Testing
import TiffinLiveCore

@testable import TiffinLive

/// Content Security Policy Level 3: the hashes of inline elements.
struct DemoPageTests {
    private static let html = Array("<html><style></style><body><script></script></body></html>".utf8)

    private func page(style: String = "b{}", scripts: [String] = ["a()"], connections: [String] = []) -> DemoPage {
        DemoPage(
            html: Self.html, style: Array(style.utf8), scripts: scripts.map { Array($0.utf8) },
            connections: connections)
    }

    private func policy(_ page: DemoPage) -> [String] {
        let field = page.response.fields.first { $0.name == "Content-Security-Policy" }
        return (field?.value ?? "").split(separator: "; ").map(String.init)
    }

    @Test func `Style and scripts are put into the one file`() {
        let text = String(decoding: page(scripts: ["a()", "b()"]).response.body, as: UTF8.self)
        #expect(text == "<html><style>b{}</style><body><script>a()\nb()</script></body></html>")
    }

    @Test func `Nothing but these two elements may run, by hashes that a browser computes alike`() {
        // openssl dgst -sha256 -binary | base64, of `a()` and `b{}`.
        let rules = policy(page(connections: ["http://127.0.0.1:1", "ws://127.0.0.1:1"]))
        #expect(rules.contains("default-src 'none'"))
        #expect(rules.contains("script-src 'sha256-qVpDBgj7bpq5hMAcGp3AOc79J3Y1Z4HvySTwKrWDoy4='"))
        #expect(rules.contains("style-src 'sha256-7yqHVAesot11p6HczDsgKRipvI5UPgs97z80zNXlans='"))
        #expect(rules.contains("connect-src 'self' http://127.0.0.1:1 ws://127.0.0.1:1"))
        #expect(rules.contains("base-uri 'none'"))
        #expect(rules.contains("frame-ancestors 'none'"))
        #expect(!rules.joined().contains("unsafe"))
    }

    @Test(arguments: [PackageResources.page_html, PackageResources.stranger_html])
    func `The pages in the binary load nothing from elsewhere and have no inline handlers`(html: [UInt8]) {
        let text = String(decoding: html, as: UTF8.self)
        #expect(text.contains("<style></style>"))
        #expect(text.contains("<script></script>"))
        for word in ["src=", "<link rel=\"stylesheet\"", "onclick", "style=\"", "@import", "url(http"] {
            #expect(!text.contains(word), "\(word)")
        }
    }
}
