/// The words behind a command's name, read strictly: an option that the command does not have, one given twice, one
/// without its value and a word too many are usage errors, so that a slip of the hand never passes for the default.
struct Arguments {
    private var values: [String: [String]] = [:]
    private(set) var operands: [String] = []
    /// `--help` is among them; nothing else is checked then.
    let asksForHelp: Bool

    init(_ words: [String], for command: any Command.Type) throws(CommandError) {
        try self.init(words, options: command.options, operandLimit: command.operandLimit)
    }

    init(_ words: [String], options: [Option], operandLimit: Int) throws(CommandError) {
        asksForHelp = words.contains { $0 == "--help" || $0 == "-h" }
        guard !asksForHelp else { return }
        var rest = words[...]
        while let word = rest.popFirst() {
            if word == "--" {
                operands += rest
                break
            }
            guard word.hasPrefix("-"), word != "-" else {
                operands.append(word)
                continue
            }
            try take(word, &rest, options)
        }
        guard operands.count <= operandLimit else {
            throw .usage("\(Console.quoted(operands[operandLimit])) is one word too many")
        }
    }

    private mutating func take(
        _ word: String, _ rest: inout ArraySlice<String>, _ options: [Option]
    ) throws(CommandError) {
        let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0].dropFirst(2))
        guard word.hasPrefix("--"), let option = options.first(where: { $0.name == name }) else {
            throw .usage("there is no option \(Console.quoted(String(parts[0])))")
        }
        let given = parts.count == 2 ? String(parts[1]) : nil
        switch option.kind {
        case .flag:
            guard given == nil else { throw .usage("--\(name) takes no value") }
            try set(name, "")
        case .value:
            if let given { try set(name, given) } else { try set(name, try value(of: name, &rest)) }
        case .list:
            let value = if let given { given } else { try value(of: name, &rest) }
            values[name, default: []].append(value)
        }
    }

    private mutating func set(_ name: String, _ value: String) throws(CommandError) {
        guard values.updateValue([value], forKey: name) == nil else { throw .usage("--\(name) is given twice") }
    }

    /// A value may begin with one dash (`--ttl -60`), not with two: that is the next option.
    private func value(of name: String, _ rest: inout ArraySlice<String>) throws(CommandError) -> String {
        guard let value = rest.first, !value.hasPrefix("--") else { throw .usage("--\(name) needs a value") }
        rest = rest.dropFirst()
        return value
    }

    // MARK: Reading

    func has(_ name: String) -> Bool { values[name] != nil }

    func optional(_ name: String) -> String? { values[name]?.first }

    func list(_ name: String) -> [String] { values[name] ?? [] }

    func required(_ name: String) throws(CommandError) -> String {
        guard let value = optional(name) else { throw .usage("--\(name) is missing") }
        guard !value.isEmpty else { throw .usage("--\(name) is empty") }
        return value
    }

    /// A whole number in decimal; nil when the option is not given.
    func integer(_ name: String, in range: ClosedRange<Int>) throws(CommandError) -> Int? {
        guard let text = optional(name) else { return nil }
        guard let number = Int(text), range.contains(number) else {
            throw .usage("--\(name) is a whole number from \(range.lowerBound) to \(range.upperBound)")
        }
        return number
    }
}
