/// A reader of the text exposition format of Prometheus, version 0.0.4, that knows no more than its rules.
struct PrometheusExposition {
    var types: [String: String] = [:]
    var samples: [(name: String, labels: [String: String], value: Double)] = []

    /// A line that breaks a rule.
    struct Malformed: Error {
        let line: Substring
    }

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed(line: text.suffix(20)) }
        var family = ""
        var helped: Set<String> = []
        for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
            let words = line.split(separator: " ", maxSplits: 3)
            if line.hasPrefix("# HELP ") {
                guard words.count == 4, helped.insert(String(words[2])).inserted else {
                    throw Malformed(line: line)
                }
            } else if line.hasPrefix("# TYPE ") {
                family = String(words[2])
                guard helped.contains(family), types[family] == nil, words.count == 4,
                    ["counter", "gauge", "histogram", "summary"].contains(words[3])
                else { throw Malformed(line: line) }
                types[family] = String(words[3])
            } else {
                try readSample(line, of: family)
            }
        }
    }

    private mutating func readSample(_ line: Substring, of family: String) throws {
        guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
            throw Malformed(line: line)
        }
        var rest = line[..<space]
        let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
        rest = rest.dropFirst(name.count)
        let suffixes: [String]
        switch types[family] {
        case "histogram": suffixes = ["_bucket", "_sum", "_count"]
        case "summary": suffixes = ["_sum", "_count"]
        default: suffixes = [""]
        }
        guard suffixes.contains(where: { family + $0 == name }) else { throw Malformed(line: line) }
        var labels: [String: String] = [:]
        if rest.first == "{" {
            guard rest.last == "}" else { throw Malformed(line: line) }
            rest = rest.dropFirst().dropLast()
            while !rest.isEmpty {
                let label = String(rest.prefix { $0 != "=" })
                rest = rest.dropFirst(label.count + 1)
                guard rest.first == "\"", labels[label] == nil else { throw Malformed(line: line) }
                labels[label] = try Self.takeQuoted(&rest)
                if rest.first == "," { rest = rest.dropFirst() }
            }
        }
        guard !samples.contains(where: { $0.name == name && $0.labels == labels }) else {
            throw Malformed(line: line)
        }
        samples.append((name, labels, value))
    }

    private static func takeQuoted(_ rest: inout Substring) throws -> String {
        var text = ""
        rest = rest.dropFirst()
        while let character = rest.popFirst() {
            if character == "\"" { return text }
            guard character == "\\" else {
                text.append(character)
                continue
            }
            switch rest.popFirst() {
            case "n": text.append("\n")
            case "\\": text.append("\\")
            case "\"": text.append("\"")
            default: throw Malformed(line: rest)
            }
        }
        throw Malformed(line: rest)
    }

    /// The sample of exactly these labels.
    func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }
}
