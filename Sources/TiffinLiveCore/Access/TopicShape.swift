/// The shape of a family of topics, `orders:{order}`, as a topic rule names it. Matching is exact, byte by byte, and
/// unambiguous: behind a variable stands the end or a byte that no variable may have.
struct TopicShape: Hashable, Sendable {
    /// Longer names are no topics.
    static let maximumBytes = 256

    let template: Template

    init(_ text: String) throws(PatternError) {
        template = try Template(text)
        guard text.utf8.count <= Self.maximumBytes else {
            throw PatternError("\"\(text)\" is longer than a topic may be")
        }
        var names: Set<String> = ["sub", "role"]
        var follows = false
        for part in template.parts {
            switch part {
            case .variable(let name):
                guard !follows else { throw PatternError("\"\(text)\" has two variables without text between them") }
                guard names.insert(name).inserted else {
                    throw PatternError("\"\(text)\" has the variable {\(name)} twice, or it is sub or role")
                }
                follows = true
            case .literal(let literal):
                if follows, let first = literal.utf8.first, Variables.isValueByte(first) {
                    throw PatternError("\"\(text)\" does not say where a variable ends")
                }
                follows = false
            }
        }
    }

    /// The variables in `topic`, or nil when it has another shape.
    func match(_ topic: String) -> Variables? {
        guard topic.utf8.count <= Self.maximumBytes else { return nil }
        var variables = Variables()
        var rest = Substring(topic).utf8
        for part in template.parts {
            switch part {
            case .literal(let literal):
                guard rest.starts(with: literal.utf8) else { return nil }
                rest = rest.dropFirst(literal.utf8.count)
            case .variable(let name):
                let end = rest.firstIndex { !Variables.isValueByte($0) } ?? rest.endIndex
                guard variables.bind(name, to: Substring(rest[..<end])) else { return nil }
                rest = rest[end...]
            }
        }
        return rest.isEmpty ? variables : nil
    }
}
