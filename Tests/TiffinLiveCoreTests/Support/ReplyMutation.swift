@testable import TiffinLiveCore

/// Replies of Redis with faults in them, the same for the same seed. What comes out is one value, however odd.
struct ReplyMutation {
    private static let numbers = [
        "0", "-1", "00", "1e308", "nan", "-inf", "9223372036854775807", "-9223372036854775808", "18446744073709551615",
        "18446744073709551616", "99999999999999999999", "1764500000000",
    ]
    private static let errors = [
        "ERR no such key", "WRONGTYPE wrong kind of value", "OOM command not allowed", "BUSY a script runs",
        "ERR Function not found", "NOPERM this user has no permissions", "EXECABORT", "ERR",
    ]

    private var random: SeededRandom

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: 0..<elements.count, using: &random)]
    }

    // MARK: Values

    mutating func mutated(_ value: RESPValue) -> RESPValue {
        guard Int.random(in: 0..<5, using: &random) > 0 else { return anything(depth: 0) }
        switch value {
        case .array(let elements): return .array(mutated(elements))
        case .set(let elements): return .set(mutated(elements))
        case .map(let entries):
            let flat = mutated(entries.flatMap { [$0.key, $0.value] })
            return .map(stride(from: 0, to: flat.count - 1, by: 2).map { .init(key: flat[$0], value: flat[$0 + 1]) })
        case .bulkString(let bytes): return .bulkString(mutated(bytes, with: bytes))
        case .simpleString, .error, .integer, .null, .push, .double, .boolean, .bigNumber, .verbatimString:
            return anything(depth: 0)
        }
    }

    private mutating func mutated(_ elements: [RESPValue]) -> [RESPValue] {
        guard !elements.isEmpty else { return [anything(depth: 1)] }
        var elements = elements
        let index = Int.random(in: 0..<elements.count, using: &random)
        switch Int.random(in: 0..<6, using: &random) {
        case 0: elements.remove(at: index)
        case 1: elements.insert(elements[index], at: Int.random(in: 0...elements.count, using: &random))
        case 2: elements.swapAt(index, Int.random(in: 0..<elements.count, using: &random))
        default: elements[index] = mutated(elements[index])
        }
        return elements
    }

    private mutating func anything(depth: Int) -> RESPValue {
        let number = pick(Self.numbers)
        switch Int.random(in: 0..<(depth < 3 ? 11 : 7), using: &random) {
        case 0: return .null
        case 1: return .integer(Int64(number) ?? 1)
        case 2: return .double(Double(number) ?? 0.5)
        case 3: return .boolean(Bool.random(using: &random))
        case 4: return .error(RedisErrorReply(Self.errors.randomElement(using: &random) ?? "ERR"))
        case 5: return .simpleString(Array(pick(["OK", "QUEUED", "88", number]).utf8))
        case 6: return .bulkString(number)
        case 7: return .array((0..<Int.random(in: 0...3, using: &random)).map { _ in anything(depth: depth + 1) })
        case 8: return .set([anything(depth: depth + 1)])
        case 9: return .map([.init(key: .bulkString("sub"), value: anything(depth: depth + 1))])
        default: return .array([.bulkString(number), anything(depth: depth + 1)])
        }
    }

    // MARK: Bytes

    mutating func mutated(_ bytes: [UInt8], with other: [UInt8]) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &random) { change(&bytes, with: other) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8], with other: [UInt8]) {
        let place = Int.random(in: 0...bytes.count, using: &random)
        let end = min(place + Int.random(in: 0...8, using: &random), bytes.count)
        switch Int.random(in: 0..<7, using: &random) {
        case 0 where place < bytes.count: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1: bytes.insert(UInt8.random(in: 0...255, using: &random), at: place)
        case 2: bytes.removeSubrange(place..<end)
        case 3: bytes.removeSubrange(place...)
        case 4: bytes.insert(contentsOf: bytes[place..<end], at: end)
        case 5: bytes.replaceSubrange(place..., with: other[Int.random(in: 0...other.count, using: &random)...])
        default:
            guard let digit = bytes[place...].firstIndex(where: ASCII.isDigit) else { return }
            let rest = bytes[digit...].firstIndex { !ASCII.isDigit($0) } ?? bytes.count
            bytes.replaceSubrange(digit..<rest, with: Array(pick(Self.numbers).utf8))
        }
    }
}

extension RESPValue {
    /// As Redis writes it.
    var wire: [UInt8] {
        func line(_ type: Character, _ text: [UInt8]) -> [UInt8] { Array(String(type).utf8) + text + [13, 10] }
        func head(_ type: Character, _ count: Int) -> [UInt8] { line(type, Array(String(count).utf8)) }
        switch self {
        case .simpleString(let bytes): return line("+", bytes)
        case .error(let error): return line("-", Array(error.text.utf8))
        case .integer(let value): return head(":", Int(value))
        case .bulkString(let bytes): return head("$", bytes.count) + bytes + [13, 10]
        case .null: return line("_", [])
        case .array(let elements): return head("*", elements.count) + elements.flatMap(\.wire)
        case .set(let elements): return head("~", elements.count) + elements.flatMap(\.wire)
        case .push(let elements): return head(">", elements.count) + elements.flatMap(\.wire)
        case .map(let entries): return head("%", entries.count) + entries.flatMap { $0.key.wire + $0.value.wire }
        case .double(let value): return line(",", Array("\(value)".utf8))
        case .boolean(let value): return line("#", Array((value ? "t" : "f").utf8))
        case .bigNumber(let digits): return line("(", digits)
        case .verbatimString(let format, let bytes):
            return head("=", bytes.count + 4) + format + [ASCII.colon] + bytes + [13, 10]
        }
    }
}

extension RedisErrorReply {
    fileprivate init(_ text: String) {
        let bytes = Array(text.utf8)
        self = bytes.withUnsafeBytes { RedisErrorReply($0) }
    }
}
