/// A text with variables, such as `orders:{order}`: for topics and the words of a look-up.
struct ConfigurationTemplate: Equatable {
    enum Piece: Equatable {
        case literal(String)
        case variable(String)
    }

    let pieces: [Piece]

    /// Nil when a brace has no partner, a variable no proper name, or two variables have nothing between them.
    init?(_ text: String) {
        var pieces: [Piece] = []
        var rest = text.utf8[...]
        while let first = rest.first {
            if first == ASCII.rightBrace { return nil }
            if first == ASCII.leftBrace {
                guard let end = rest.firstIndex(of: ASCII.rightBrace),
                    let name = Self.variableName(rest[rest.index(after: rest.startIndex)..<end])
                else { return nil }
                if case .variable = pieces.last { return nil }
                pieces.append(.variable(name))
                rest = rest[rest.index(after: end)...]
            } else {
                let end = rest.firstIndex { $0 == ASCII.leftBrace || $0 == ASCII.rightBrace } ?? rest.endIndex
                pieces.append(.literal(String(rest[..<end]) ?? ""))
                rest = rest[end...]
            }
        }
        self.pieces = pieces
    }

    var variables: [String] {
        pieces.compactMap { if case .variable(let name) = $0 { name } else { nil } }
    }

    /// The text with every variable as `{}`: two templates of one shape mean the same texts.
    var shape: String {
        pieces.map { if case .literal(let text) = $0 { text } else { "{}" } }.joined()
    }

    /// A letter or `_`, then letters, digits and `_`.
    static func variableName(_ text: Substring.UTF8View) -> String? {
        guard let first = text.first, ASCII.isLetter(first) || first == ASCII.underscore,
            text.allSatisfy({ ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == ASCII.underscore })
        else { return nil }
        return String(text)
    }
}
