@testable import TiffinLiveCore

/// What a decoder makes of a connection's bytes up to the first error: the heads in order and what is left over.
struct DecodedRequests: Equatable {
    struct Head: Equatable, CustomStringConvertible {
        var text: String
        var description: String { text }

        init(_ request: HTTPRequest) {
            let fields = request.fields.all.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
            text =
                "\(request.method) \(request.target) \(request.version) \(fields) length=\(request.contentLength) "
                + "chunked=\(request.isChunked) expects=\(request.expectsContinue) keeps=\(request.keepsAlive)"
        }
    }

    var heads: [Head] = []
    var refused: HTTPError?
    /// Bytes that came after the last head and, for a decoder that ran dry, belong to no whole head.
    var rest: [UInt8] = []
    var status: Int { refused?.status ?? (heads.isEmpty ? 0 : 200) }

    /// Reads up to `maximum` heads, then leaves the rest alone, as after an upgrade.
    static func read(_ chunks: [[UInt8]], headLimit: Int = 32 * 1024, maximum: Int = 1) -> DecodedRequests {
        var decoder = HTTPRequestDecoder(headLimit: headLimit)
        var outcome = DecodedRequests()
        for chunk in chunks {
            var chunk = chunk[...]
            while !chunk.isEmpty, outcome.heads.count < maximum, outcome.refused == nil {
                var consumed = 0
                do throws(HTTPError) {
                    let bytes = Array(chunk)
                    let request = try receive(bytes, &decoder, &consumed)
                    if let request { outcome.heads.append(Head(request)) }
                } catch {
                    outcome.refused = error
                }
                chunk = chunk.dropFirst(consumed)
            }
            if outcome.refused == nil { outcome.rest += chunk }
        }
        return outcome
    }

    /// The request that `text` is, for tests of what it says.
    static func request(_ text: String) throws(HTTPError) -> HTTPRequest? {
        var decoder = HTTPRequestDecoder()
        var consumed = 0
        return try receive(Array(text.utf8), &decoder, &consumed)
    }

    static func receive(
        _ bytes: [UInt8], _ decoder: inout HTTPRequestDecoder, _ consumed: inout Int
    ) throws(HTTPError) -> HTTPRequest? {
        let buffer = ByteBuffer()
        buffer.append(bytes)
        return try decoder.receive(buffer.bytes, consumed: &consumed)
    }
}

/// A request made of parts, good by itself, so that a test says only what is odd about it.
struct RawRequest: CustomStringConvertible, Sendable {
    let name: String
    let bytes: [UInt8]
    var description: String { name }

    /// Latin-1, so that every byte can be written as a character.
    init(
        _ name: String, line: String = "GET /ws HTTP/1.1", host: String? = "Host: localhost:8080", _ add: String = ""
    ) {
        let text = line + "\r\n" + (host.map { $0 + "\r\n" } ?? "") + add + "\r\n"
        self.init(name, raw: text)
    }

    init(_ name: String, raw: String) {
        self.name = name
        bytes = raw.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) }
    }

    init(_ name: String, target: String) {
        self.init(name, line: "GET \(target) HTTP/1.1")
    }
}
