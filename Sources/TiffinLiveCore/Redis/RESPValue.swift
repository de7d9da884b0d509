/// One value of the Redis serialization protocol, RESP2 or RESP3 (redis.io "Redis serialization protocol
/// specification").
///
/// Nulls of both versions are `null`, bulk errors are `error`. Attributes are read and dropped: Redis sends none that
/// was not asked for. Text is kept as bytes, since Redis knows no encoding.
indirect enum RESPValue: Equatable, Sendable {
    case simpleString([UInt8])
    case error(RedisErrorReply)
    case integer(Int64)
    case bulkString([UInt8])
    case null
    case array([RESPValue])
    case map([Entry])
    case set([RESPValue])
    /// Out of band: belongs to no command. Only ever the outermost value.
    case push([RESPValue])
    case double(Double)
    case boolean(Bool)
    /// An optional sign and decimal digits.
    case bigNumber([UInt8])
    /// `format` has three bytes, `txt` or `mkd`.
    case verbatimString(format: [UInt8], [UInt8])

    struct Entry: Equatable, Sendable {
        let key: RESPValue
        let value: RESPValue
    }

    static func bulkString(_ text: String) -> RESPValue { .bulkString(Array(text.utf8)) }

    /// The bytes of a string of any kind.
    var bytes: [UInt8]? {
        switch self {
        case .simpleString(let bytes), .bulkString(let bytes), .verbatimString(_, let bytes): bytes
        case .error, .integer, .null, .array, .map, .set, .push, .double, .boolean, .bigNumber: nil
        }
    }

    var integer: Int64? {
        guard case .integer(let value) = self else { return nil }
        return value
    }

    /// The elements of an array, set or push.
    var elements: [RESPValue]? {
        switch self {
        case .array(let elements), .set(let elements), .push(let elements): elements
        case .simpleString, .error, .integer, .bulkString, .null, .map, .double, .boolean, .bigNumber, .verbatimString:
            nil
        }
    }

    /// What a map has under a text key; RESP2 gives maps as arrays of keys and values in turn.
    subscript(key: String) -> RESPValue? {
        switch self {
        case .map(let entries):
            return entries.first { $0.key.bytes.map { $0.elementsEqual(key.utf8) } ?? false }?.value
        case .array(let elements):
            for index in stride(from: 0, to: elements.count - 1, by: 2) {
                guard let name = elements[index].bytes, name.elementsEqual(key.utf8) else { continue }
                return elements[index + 1]
            }
            return nil
        case .simpleString, .error, .integer, .bulkString, .null, .set, .push, .double, .boolean, .bigNumber,
            .verbatimString:
            return nil
        }
    }
}
