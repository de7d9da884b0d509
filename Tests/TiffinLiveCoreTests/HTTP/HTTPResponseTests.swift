import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §4, §6: responses")
struct HTTPResponseTests {
    private func written(
        _ response: HTTPResponse, closes: Bool = false, version: HTTPVersion = .http11, withoutBody: Bool = false
    ) -> String {
        let buffer = ByteBuffer()
        response.append(
            to: buffer, date: HTTPDate(wall: 784_111_777 * .second), closes: closes, version: version,
            withoutBody: withoutBody)
        return String(decoding: buffer.bytes, as: UTF8.self)
    }

    private let date = "Date: Sun, 06 Nov 1994 08:49:37 GMT\r\n"

    @Test("an error is a JSON object with its word")
    func error() {
        let response = HTTPResponse.json(
            401, error: "token_expired", fields: [(name: "WWW-Authenticate", value: "Bearer error=\"invalid_token\"")])
        #expect(
            written(response, closes: true) == "HTTP/1.1 401 Unauthorized\r\n\(date)Content-Type: application/json\r\n"
                + "WWW-Authenticate: Bearer error=\"invalid_token\"\r\nContent-Length: 25\r\nConnection: close\r\n\r\n"
                + "{\"error\":\"token_expired\"}")
    }

    @Test("an error of the request becomes its response; 426 names what to upgrade to")
    func httpError() {
        #expect(written(HTTPResponse(.headTooLarge)).contains("{\"error\":\"head_too_large\"}"))
        #expect(written(HTTPResponse(.headTooLarge)).hasPrefix("HTTP/1.1 431 Request Header Fields Too Large\r\n"))
        let upgrade = written(HTTPResponse(HTTPError(status: 426, error: "upgrade_required")))
        #expect(upgrade.contains("\r\nUpgrade: websocket\r\n"))
    }

    @Test("HEAD is told the length and gets no body")
    func head() {
        let text = written(.text(200, "ok\n"), withoutBody: true)
        #expect(text.contains("Content-Length: 3\r\n"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test("an empty body has length 0; statuses without content have no length", arguments: [101, 204, 304])
    func noContent(_ status: Int) {
        #expect(written(HTTPResponse(status: 200)).contains("Content-Length: 0\r\n"))
        let text = written(HTTPResponse(status: status, body: [65]))
        #expect(!text.contains("Content-Length"))
        #expect(text.hasSuffix("\r\n\r\n"))
    }

    @Test("HTTP/1.0 is told when the connection stays open")
    func connection() {
        #expect(!written(HTTPResponse(status: 200)).contains("Connection:"))
        #expect(written(HTTPResponse(status: 200), version: .http10).contains("Connection: keep-alive\r\n"))
        #expect(written(HTTPResponse(status: 200), closes: true, version: .http10).contains("Connection: close\r\n"))
    }

    @Test(
        "no value, name or word can end its line",
        arguments: ["a\r\nSet-Cookie: x=1", "a\nX: 1", "a\rX: 1", "a\u{0}b", "\r\n\r\n<html>", "a\u{7F}\u{1B}b"])
    func splitting(_ hostile: String) {
        let response = HTTPResponse.json(
            400, error: hostile, fields: [(name: "X-A", value: hostile), (name: hostile, value: "1")])
        let text = written(response)
        let head = text.prefix(while: { $0 != "{" })
        #expect(head.split(separator: "\r\n", omittingEmptySubsequences: true).count == 6)
        #expect(!text.unicodeScalars.contains("\u{0}"))
        #expect(text.utf8.filter { $0 == 10 }.count == 7)
        #expect(text.utf8.filter { $0 == 13 }.count == 7)
    }

    @Test("a field without a name is not written")
    func emptyName() {
        let text = written(HTTPResponse(status: 200, fields: [(name: "\r\n", value: "1")]))
        #expect(text == "HTTP/1.1 200 OK\r\n\(date)Content-Length: 0\r\n\r\n")
    }

    @Test(
        "every status in use has a reason phrase",
        arguments: [
            100, 101, 200, 204, 304, 400, 401, 403, 404, 405, 408, 409, 411, 413, 414, 417, 426, 429, 431, 500, 501,
            503,
            505,
        ])
    func reasons(_ status: Int) {
        #expect(ResponseHeadEncoder.reason(status).utf8CodeUnitCount > 0)
    }

    @Test("an unknown status has an empty phrase but keeps its space")
    func unknownStatus() {
        #expect(written(HTTPResponse(status: 299)).hasPrefix("HTTP/1.1 299 \r\n"))
    }
}

@Suite("RFC 9110 §5.6.7: dates")
struct HTTPDateTests {
    @Test(
        "a moment is spelled as an IMF-fixdate",
        arguments: [
            (0, "Thu, 01 Jan 1970 00:00:00 GMT"), (784_111_777, "Sun, 06 Nov 1994 08:49:37 GMT"),
            (951_782_399, "Mon, 28 Feb 2000 23:59:59 GMT"), (951_782_400, "Tue, 29 Feb 2000 00:00:00 GMT"),
            (951_868_800, "Wed, 01 Mar 2000 00:00:00 GMT"), (1_709_164_800, "Thu, 29 Feb 2024 00:00:00 GMT"),
            (1_735_689_599, "Tue, 31 Dec 2024 23:59:59 GMT"), (4_107_542_399, "Sun, 28 Feb 2100 23:59:59 GMT"),
            (4_107_542_400, "Mon, 01 Mar 2100 00:00:00 GMT"), (-5, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (9_223_372_036, "Fri, 11 Apr 2262 23:47:16 GMT"),
        ] as [(Int64, String)])
    func spelling(_ seconds: Int64, _ text: String) {
        let buffer = ByteBuffer()
        HTTPDate(wall: seconds * .second).append(to: buffer)
        #expect(String(decoding: buffer.bytes, as: UTF8.self) == text)
    }

    @Test("the ends of the range do not trap", arguments: [Nanoseconds.min, .max])
    func ends(_ wall: Nanoseconds) {
        let buffer = ByteBuffer()
        HTTPDate(wall: wall).append(to: buffer)
        #expect(buffer.count == 29)
    }
}
