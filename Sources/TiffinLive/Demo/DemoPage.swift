import TiffinLiveCore

/// A page as it is served: one HTML file with its style and its scripts inside, and a policy by which a browser runs and
/// loads nothing else (CSP Level 3: the hashes of the inline elements).
struct DemoPage: Sendable {
    let response: HTTPResponse

    /// - Parameters:
    ///   - html: has one empty `style` and one empty `script` element.
    ///   - connections: origins besides its own that it may connect to.
    init(html: [UInt8], style: [UInt8], scripts: [[UInt8]], connections: [String]) {
        let script = scripts.map { Self.text($0) }.joined(separator: "\n")
        let style = Self.text(style)
        let policy = [
            "default-src 'none'", "script-src '\(Self.hash(script))'", "style-src '\(Self.hash(style))'",
            "connect-src \((["'self'"] + connections).joined(separator: " "))", "img-src data:", "base-uri 'none'",
            "form-action 'none'", "frame-ancestors 'none'",
        ]
        let page = Self.fill("script", with: script, in: Self.fill("style", with: style, in: Self.text(html)))
        response = HTTPResponse(
            status: 200,
            fields: [
                ("Content-Type", "text/html; charset=utf-8"), ("Cache-Control", "no-store"),
                ("Content-Security-Policy", policy.joined(separator: "; ")), ("X-Content-Type-Options", "nosniff"),
                ("Referrer-Policy", "no-referrer"), ("Cross-Origin-Opener-Policy", "same-origin"),
                ("Cross-Origin-Resource-Policy", "same-origin"),
            ],
            body: Array(page.utf8))
    }

    private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

    /// As a source of the policy. Both alphabets of base64 are allowed there, the padding is not optional.
    private static func hash(_ text: String) -> String {
        "sha256-\(Base64.encodeURL(Digest.sha256(Array(text.utf8)).bytes))="
    }

    /// Puts `content` between the tags of the first empty element of this name.
    private static func fill(_ name: String, with content: String, in page: String) -> String {
        let empty = "<\(name)></\(name)>"
        guard let start = page.firstIndex(of: empty) else { return page }
        let end = page.index(start, offsetBy: empty.count)
        return page[..<start] + "<\(name)>" + content + "</\(name)>" + page[end...]
    }
}

extension String {
    fileprivate func firstIndex(of text: String) -> Index? {
        indices.first { self[$0...].hasPrefix(text) }
    }
}
