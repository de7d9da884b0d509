/// A `--set` argument: a dotted key and a JSON5 value, as in `expiry.jitter="5s"`. A part of the key that contains a
/// dot or `=` stands in quotes: `routes."/x".echo=true`.
struct ConfigurationOverride {
    let path: [String]
    /// The value as it would stand in a file.
    let tree: JSON5Node

    struct Fault: Error, Equatable {
        let key: String?
        let message: String
    }

    init(_ text: String) throws(Fault) {
        var rest = Array(text.utf8)[...]
        var path: [String] = []
        repeat {
            path.append(try Self.takePart(&rest))
            guard path.count < JSON5Reader.maximumDepth else { throw Fault(key: nil, message: "the key is too deep") }
        } while Self.take(ASCII.dot, &rest)
        let key = JSON5Reader.dotted(path)
        guard Self.take(ASCII.equals, &rest) else {
            throw Fault(key: key, message: "a value is missing; the form is --set KEY=VALUE")
        }
        let value: JSON5Node
        do {
            value = try JSON5Reader.read(Array(rest))
        } catch {
            throw Fault(key: key, message: "the value is not JSON5: \(error.message)")
        }
        tree = path.reversed().reduce(value) { node, name in
            JSON5Node(line: 1, value: .object([JSON5Node.Member(name: name, line: 1, value: node)]))
        }
        self.path = path
    }

    private static func takePart(_ rest: inout ArraySlice<UInt8>) throws(Fault) -> String {
        let part: ArraySlice<UInt8>
        if let quote = rest.first, quote == ASCII.quotationMark || quote == UInt8(ascii: "'") {
            guard let end = rest.dropFirst().firstIndex(of: quote) else {
                throw Fault(key: nil, message: "a quote in the key is not closed")
            }
            part = rest[(rest.startIndex + 1)..<end]
            rest = rest[(end + 1)...]
        } else {
            let end = rest.firstIndex { $0 == ASCII.dot || $0 == ASCII.equals } ?? rest.endIndex
            part = rest[..<end]
            rest = rest[end...]
        }
        guard !part.isEmpty else {
            throw Fault(key: nil, message: "the key is malformed; the form is --set KEY=VALUE with a dotted key")
        }
        return String(decoding: part, as: UTF8.self)
    }

    private static func take(_ byte: UInt8, _ rest: inout ArraySlice<UInt8>) -> Bool {
        guard rest.first == byte else { return false }
        rest = rest.dropFirst()
        return true
    }
}
