/// The target of a request (RFC 9112 §3.2) in origin-form, absolute-form, or `*` with OPTIONS.
///
/// Decoded exactly once, so that a router compares what it will serve and nothing is decoded behind its back. A path
/// that is written in a way no route is written in (bad percent-encoding, encoded slash or control byte, overlong
/// UTF-8, dot segments, empty segments, a slash at the end) has no segments at all and so can match no route.
package struct RequestTarget: Equatable, Sendable {
    struct QueryItem: Equatable, Sendable {
        let name: String
        let value: String
    }

    /// The path as sent, never decoded; `*` for OPTIONS *. Outside text: escape it before it is logged.
    let path: String
    /// The decoded segments; `[]` for `/`. Nil: this path is the path of no route.
    package let segments: [String]?
    /// The decoded query, in the order sent.
    let query: [QueryItem]

    static let maximumSegments = 32
    static let maximumQueryItems = 128

    func values(ofQuery name: String) -> [String] {
        query.isEmpty ? [] : query.filter { $0.name == name }.map(\.value)
    }

    /// Reads the bytes between the two spaces of a request line.
    static func read(_ bytes: UnsafeRawBufferPointer, isOptions: Bool) throws(HTTPError) -> RequestTarget {
        for byte in bytes where byte <= ASCII.space || byte >= ASCII.delete || byte == 0x23 {
            throw .badRequest(
                byte == 0x23 ? "a fragment in the request target" : "a byte that no request target may have")
        }
        guard let first = bytes.first else { throw .badRequest("an empty request target") }
        if first == ASCII.slash { return try readOriginForm(bytes) }
        if bytes.count == 1, first == 0x2A {
            guard isOptions else { throw .badRequest("an asterisk as target of a method other than OPTIONS") }
            return RequestTarget(path: "*", segments: nil, query: [])
        }
        return try readAbsoluteForm(bytes)
    }

    private static func readAbsoluteForm(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> RequestTarget {
        guard let colon = bytes.firstIndex(of: ASCII.colon), bytes.count - colon > 3,
            bytes[colon + 1] == ASCII.slash, bytes[colon + 2] == ASCII.slash
        else { throw .badRequest("a request target that is neither a path nor a URL") }
        let scheme = UnsafeRawBufferPointer(rebasing: bytes[..<colon])
        guard
            FieldList.equals(scheme, "http") || FieldList.equals(scheme, "https") || FieldList.equals(scheme, "ws")
                || FieldList.equals(scheme, "wss")
        else { throw .badRequest("a request target with another scheme") }
        var end = colon + 3
        while end < bytes.count, bytes[end] != ASCII.slash, bytes[end] != ASCII.questionMark { end += 1 }
        guard Authority.isValid(UnsafeRawBufferPointer(rebasing: bytes[(colon + 3)..<end])) else {
            throw .badRequest("a request target with a malformed authority")
        }
        let rest = UnsafeRawBufferPointer(rebasing: bytes[end...])
        if rest.first == ASCII.slash { return try readOriginForm(rest) }
        // An empty path means the root (RFC 9110 §4.2.3).
        return RequestTarget(path: "/", segments: [], query: try readQuery(rest.isEmpty ? nil : rest, from: 1))
    }

    private static func readOriginForm(_ bytes: UnsafeRawBufferPointer) throws(HTTPError) -> RequestTarget {
        let pathEnd = bytes.firstIndex(of: ASCII.questionMark) ?? bytes.count
        let path = UnsafeRawBufferPointer(rebasing: bytes[..<pathEnd])
        return RequestTarget(
            path: String(decoding: path, as: UTF8.self),
            segments: readSegments(path),
            query: try readQuery(pathEnd < bytes.count ? bytes : nil, from: pathEnd + 1))
    }

    private static func readSegments(_ path: UnsafeRawBufferPointer) -> [String]? {
        guard path.count > 1 else { return [] }
        guard ByteSet.path.containsAll(of: path) else { return nil }
        var segments: [String] = []
        segments.reserveCapacity(4)
        var start = 1
        for index in 1...path.count where index == path.count || path[index] == ASCII.slash {
            guard segments.count < maximumSegments,
                let segment = readSegment(UnsafeRawBufferPointer(rebasing: path[start..<index]))
            else { return nil }
            segments.append(segment)
            start = index + 1
        }
        return segments
    }

    private static func readSegment(_ bytes: UnsafeRawBufferPointer) -> String? {
        let isEncoded = bytes.contains(ASCII.percent)
        // Without a percent sign it is known to be ASCII, which needs no validation.
        let decoded = isEncoded ? PercentDecoding.text(bytes) : String(decoding: bytes, as: UTF8.self)
        guard let segment = decoded, !segment.isEmpty, segment != ".", segment != ".." else { return nil }
        guard isEncoded else { return segment }
        for byte in segment.utf8 where byte < ASCII.space || byte == ASCII.delete || byte == ASCII.slash { return nil }
        return segment
    }

    private static func readQuery(
        _ bytes: UnsafeRawBufferPointer?, from first: Int
    ) throws(HTTPError) -> [QueryItem] {
        guard let bytes else { return [] }
        var items: [QueryItem] = []
        var start = first
        var equals: Int?
        for index in first...bytes.count {
            let isEnd = index == bytes.count || bytes[index] == 0x26
            if !isEnd {
                if bytes[index] == ASCII.equals, equals == nil { equals = index }
                continue
            }
            if index > start {
                guard items.count < maximumQueryItems else { throw .badRequest("a query with too many items") }
                let nameEnd = equals ?? index
                guard
                    let name = PercentDecoding.text(UnsafeRawBufferPointer(rebasing: bytes[start..<nameEnd])),
                    let value = PercentDecoding.text(
                        UnsafeRawBufferPointer(rebasing: bytes[min(nameEnd + 1, index)..<index]))
                else { throw .badRequest("a query with bad percent-encoding") }
                items.append(QueryItem(name: name, value: value))
            }
            start = index + 1
            equals = nil
        }
        return items
    }
}
