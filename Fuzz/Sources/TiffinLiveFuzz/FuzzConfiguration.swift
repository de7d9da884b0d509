@testable import TiffinLiveCore

/// Configuration texts: never the end of the process, and a fault points into the text.
enum FuzzConfiguration {
    static func run(_ bytes: [UInt8]) {
        let lines = 1 + bytes.filter { $0 == 0x0A || $0 == 0x0D }.count
        do throws(JSON5Error) {
            walk(try JSON5Reader.read(bytes), lines)
        } catch {
            check(error.line >= 1 && error.line <= lines, "line \(error.line) of \(lines)")
            check(!error.message.isEmpty, "no message")
        }
        load(bytes, lines)
    }

    /// The whole way to a configuration, with every fault in place.
    private static func load(_ bytes: [UInt8], _ lines: Int) {
        var loader = ConfigurationLoader()
        loader.apply(bytes, file: "fuzz.json5")
        for fault in loader.faults {
            check((fault.line ?? 1) <= lines, "\(fault) of \(lines) lines")
        }
        _ = try? loader.finish()
    }

    private static func walk(_ node: JSON5Node, _ lines: Int) {
        check(node.line >= 1 && node.line <= lines, "line \(node.line) of \(lines)")
        switch node.value {
        case .null, .bool, .string:
            break
        case .number(let number):
            _ = number.double
            _ = number.int64
        case .array(let elements):
            for element in elements { walk(element, lines) }
        case .object(let members):
            for member in members { walk(member.value, lines) }
        }
    }
}
