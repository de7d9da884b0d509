import Testing

@testable import TiffinLiveCore

/// The log reference of the operations manual against the source: every line that the server can write is found where it is
/// written, with its level and its fields, and compared with the manual's row. A field that is not told of fails here, and
/// so does one that is never written.
@Suite("The log reference")
struct LogFieldReferenceTests {
    private struct Line: Hashable {
        var levels: Set<String> = []
        var fields: Set<String> = []
    }

    /// Where log lines are written.
    private static let folder = "Sources/TiffinLiveCore/Server"
    private static let levels = Set(LogLevel.allCases.map(\.name.description))
    /// What the manual calls "about the connection": written by `Worker.add(_ session:to:)`.
    private static let group = "about the connection"

    @Test("names the fields and levels of every event as they are written")
    func fields() throws {
        let written = try Self.written()
        let told = try Self.told()
        #expect(written.keys.sorted() == LogEvent.allCases.map(\.rawValue).sorted())
        for (event, line) in written.sorted(by: { $0.key < $1.key }) {
            #expect(told[event]?.fields.sorted() == line.fields.sorted(), "\(event)")
            #expect(told[event]?.levels.sorted() == line.levels.sorted(), "\(event)")
        }
    }

    @Test("names the fields that stand for the connection")
    func group() throws {
        let text = try ProjectFile.text("docs/operations.md")
        let sentence = try #require(
            text.split(separator: "\n").first { $0.hasPrefix("\"About the connection\" below stands for ") })
        let fields = Self.quoted(sentence.prefix { $0 != ":" })
        #expect(fields.sorted() == (try Self.fieldsOfGroup()).sorted())
    }

    // MARK: The manual

    private static func told() throws -> [String: Line] {
        var told: [String: Line] = [:]
        let section = try ProjectFile.text("docs/operations.md").split(separator: "\n## Logs\n").last ?? ""
        for row in section.split(separator: "\n").prefix(while: { !$0.hasPrefix("## ") }) where row.hasPrefix("| `") {
            let cells = row.dropFirst(2).dropLast(2).split(separator: " | ", omittingEmptySubsequences: false)
            guard cells.count == 4, let event = quoted(cells[0]).first else { continue }
            var line = Line(levels: Set(cells[1].split(separator: ", ").map(String.init)))
            // Values stand in parentheses.
            var fields = ""
            var depth = 0
            for character in cells[2] {
                if character == "(" { depth += 1 }
                if depth == 0 { fields.append(character) }
                if character == ")" { depth -= 1 }
            }
            line.fields = Set(quoted(fields[...]))
            if fields.contains(group) { line.fields.insert(group) }
            told[event] = line
        }
        return told
    }

    /// The words between backticks.
    private static func quoted(_ text: Substring) -> [String] {
        let parts = text.split(separator: "`", omittingEmptySubsequences: false)
        return stride(from: 1, to: parts.count, by: 2).map { String(parts[$0]) }
    }

    // MARK: The source

    private static func written() throws -> [String: Line] {
        var written: [String: Line] = [:]
        for source in try sources() {
            // `.log(LEVEL, EVENT, …) { … }`; a line that the queue itself writes is begun with `LogFields(…)`.
            for call in source.texts(after: ".log(") {
                let words = call.drop { $0.isWhitespace }.split(separator: ",", maxSplits: 2)
                // Those of other things begin with a label.
                guard words.count == 3, words[0].contains("."), words[1].hasPrefix(" .") else { continue }
                let event = try event(ofCase: words[1])
                let levels = words[0].split { !$0.isLetter }.map(String.init).filter(Self.levels.contains)
                let closure = Self.closure(behind: call)
                written[event, default: Line()].levels.formUnion(levels)
                written[event, default: Line()].fields.formUnion(fields(addedIn: closure))
            }
            for call in source.texts(after: "LogFields(to: writing, level: .") {
                let event = try event(ofCase: call.texts(after: "event: ").first?.prefix { $0 != "," } ?? "")
                written[event, default: Line()].levels.insert(String(call.prefix { $0 != "," }))
                written[event, default: Line()].fields.formUnion(
                    fields(addedIn: call.text(before: "finish()")))
            }
        }
        return written
    }

    private static func sources() throws -> [Substring] {
        let listing = try ProgramRun(["/usr/bin/find", ProjectFile.root + folder, "-name", "*.swift"])
        let paths = listing.output.split(separator: "\n")
        guard paths.count > 20 else { throw UnexpectedAnswer(what: listing.errors) }
        return try paths.map { Substring(String(decoding: try SecretReference.file(String($0)).read(), as: UTF8.self)) }
    }

    private static func event(ofCase word: Substring) throws -> String {
        let name = word.drop { $0.isWhitespace || $0 == "." }
        guard let event = LogEvent.allCases.first(where: { "\($0)" == name }) else {
            throw UnexpectedAnswer(what: "no log event \(name)")
        }
        return event.rawValue
    }

    /// What stands between the braces behind the arguments of a call; empty when there are none.
    private static func closure(behind call: Substring) -> Substring {
        var depth = 1
        var index = call.startIndex
        while index < call.endIndex, depth > 0 {
            if call[index] == "(" { depth += 1 }
            if call[index] == ")" { depth -= 1 }
            index = call.index(after: index)
        }
        let rest = call[index...].drop { $0.isWhitespace }
        guard rest.first == "{" else { return "" }
        for end in rest.indices {
            if rest[end] == "{" { depth += 1 }
            if rest[end] == "}" { depth -= 1 }
            if depth == 0 { return rest[...end] }
        }
        return rest
    }

    private static func fields(addedIn text: Substring) -> Set<String> {
        var names = Set(text.texts(after: "add(\"").map { String($0.prefix { $0 != "\"" }) })
        if text.contains("add(session, to: &fields)") { names.insert(group) }
        if text.contains("trace, to: &fields)") { names.formUnion(["trace_id", "parent_id"]) }
        return names
    }

    private static func fieldsOfGroup() throws -> Set<String> {
        for source in try sources() {
            guard let body = source.texts(after: "func add(_ session: Session, to fields: inout LogFields)").first
            else { continue }
            return fields(addedIn: body.text(before: "\n    }\n"))
        }
        return []
    }
}

extension Substring {
    /// What follows each occurrence of `mark`, up to the end of the text.
    fileprivate func texts(after mark: String) -> [Substring] {
        ranges(of: mark).map { self[$0.upperBound...] }
    }

    /// What stands before the first occurrence of `mark`.
    fileprivate func text(before mark: String) -> Substring {
        guard let range = firstRange(of: mark) else { return self }
        return self[..<range.lowerBound]
    }
}
