/// The path of a route, `/orders/{order}/events`: segments that must be equal and segments that are variables.
struct PathPattern: Equatable, Sendable {
    private enum Segment: Equatable, Sendable {
        case literal(String)
        case variable(String)
    }

    let text: String
    private let segments: [Segment]

    init(_ text: String) throws(PatternError) {
        guard text.utf8.first == ASCII.slash, text.utf8.count <= 1024 else {
            throw PatternError("\"\(text)\" is no path: it must begin with a slash")
        }
        var names: Set<String> = ["sub", "role"]
        var segments: [Segment] = []
        for part in text.dropFirst().split(separator: "/", omittingEmptySubsequences: false) where text != "/" {
            let template = try Template(String(part))
            switch (template.parts.count, template.parts[0]) {
            case (1, .variable(let name)):
                guard names.insert(name).inserted else {
                    throw PatternError("\"\(text)\" has the variable {\(name)} twice, or it is sub or role")
                }
                segments.append(.variable(name))
            case (1, .literal(let literal)):
                guard literal != ".", literal != ".." else { throw PatternError("\"\(text)\" has a dot segment") }
                segments.append(.literal(literal))
            default:
                throw PatternError("\"\(text)\" has a variable that is not a whole segment")
            }
        }
        self.text = text
        self.segments = segments
    }

    var variables: [String] {
        segments.compactMap { segment in
            guard case .variable(let name) = segment else { return nil }
            return name
        }
    }

    /// The variables in the decoded segments of a path, or nil when it is another path.
    func match(_ path: [String]) -> Variables? {
        guard path.count == segments.count else { return nil }
        var variables = Variables()
        for (segment, sent) in zip(segments, path) {
            switch segment {
            case .literal(let literal):
                guard JSONObject.isSame(literal, sent) else { return nil }
            case .variable(let name):
                guard variables.bind(name, to: sent) else { return nil }
            }
        }
        return variables
    }
}
