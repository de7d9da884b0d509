/// A response as the server sent it: fields in order, with the case they came in.
struct RawResponse {
    let status: Int
    let version: String
    let fields: [(name: String, value: String)]
    var body: [UInt8] = []

    var text: String {
        String(decoding: body, as: UTF8.self)
    }

    /// The value of the only field of that name; nil when there is none or several.
    func only(_ name: String) -> String? {
        let found = values(name)
        return found.count == 1 ? found[0] : nil
    }

    func values(_ name: String) -> [String] {
        fields.filter { $0.name.lowercased() == name.lowercased() }.map(\.value)
    }

    /// Reads a head strictly (RFC 9112): CRLF line ends, a token before the colon, no folding.
    init(head: [UInt8]) throws(RawClientError) {
        var lines: [String] = []
        var line: [UInt8] = []
        var index = 0
        while index < head.count {
            if head[index] == 0x0D {
                guard index + 1 < head.count, head[index + 1] == 0x0A else { throw .malformed("bare CR in the head") }
                lines.append(String(decoding: line, as: UTF8.self))
                line = []
                index += 2
                continue
            }
            guard head[index] >= 0x20 || head[index] == 0x09 else {
                throw .malformed("byte \(head[index]) in the head")
            }
            line.append(head[index])
            index += 1
        }
        guard let first = lines.first, lines.last?.isEmpty == true else { throw .malformed("head without an end") }
        let parts = first.split(separator: " ", maxSplits: 2, omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0] == "HTTP/1.1" || parts[0] == "HTTP/1.0", parts[1].utf8.count == 3,
            let status = Int(parts[1]), (100...599).contains(status)
        else { throw .malformed("status line: \(first)") }
        self.status = status
        version = String(parts[0])
        fields = try lines.dropFirst().dropLast().map { (line) throws(RawClientError) in try Self.field(line) }
    }

    private static func field(_ line: String) throws(RawClientError) -> (name: String, value: String) {
        let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2, !parts[0].isEmpty,
            parts[0].utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F && !#"(),/:;<=>?@[\]{}""#.utf8.contains($0) })
        else { throw .malformed("field line: \(line)") }
        var value = parts[1]
        while let first = value.first, first == " " || first == "\t" { value.removeFirst() }
        while let last = value.last, last == " " || last == "\t" { value.removeLast() }
        return (String(parts[0]), String(value))
    }
}
