/// Text with variables, `orders:{order}`: expanded it names a topic, a word of a look-up or a claim's value; as a shape it
/// finds the variables in the name of a topic.
struct Template: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case literal(String)
        case variable(String)
    }

    let text: String
    let parts: [Part]

    init(_ text: String) throws(PatternError) {
        var parts: [Part] = []
        var rest = text[...]
        while let brace = rest.firstIndex(where: { $0 == "{" || $0 == "}" }) {
            if brace > rest.startIndex { parts.append(.literal(String(rest[..<brace]))) }
            guard rest[brace] == "{", let end = rest[brace...].firstIndex(of: "}") else {
                throw PatternError("\"\(text)\" has a brace without its partner")
            }
            let name = rest[rest.index(after: brace)..<end]
            guard Self.isName(name) else { throw PatternError("\"\(text)\" has a variable without a proper name") }
            parts.append(.variable(String(name)))
            rest = rest[rest.index(after: end)...]
        }
        if !rest.isEmpty { parts.append(.literal(String(rest))) }
        guard !parts.isEmpty else { throw PatternError("an empty pattern") }
        self.text = text
        self.parts = parts
    }

    var variables: [String] {
        parts.compactMap { part in
            guard case .variable(let name) = part else { return nil }
            return name
        }
    }

    /// The text with every variable replaced; nil when one has no value, so that nothing is ever named by half.
    func expand(_ variables: Variables) -> String? {
        var expanded = ""
        for part in parts {
            switch part {
            case .literal(let text): expanded += text
            case .variable(let name):
                guard let value = variables[name] else { return nil }
                expanded += value
            }
        }
        return expanded
    }

    private static func isName(_ name: Substring) -> Bool {
        !name.isEmpty && name.utf8.count <= 32
            && name.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.underscore }
    }
}
