import Testing

@testable import TiffinLiveCore

/// What a decoder made of a stream.
struct RESPOutcome: Equatable {
    var values: [RESPValue] = []
    var error: RESPError?
    var isInsideValue = false

    init() {}

    init(_ values: [RESPValue], error: RESPError? = nil, isInsideValue: Bool = false) {
        self.values = values
        self.error = error
        self.isInsideValue = isInsideValue
    }

    /// The same for every way of cutting the stream, or the test fails.
    static func of(_ bytes: [UInt8], limits: RESPLimits = RESPLimits()) -> RESPOutcome {
        ChunkedFeed.check(bytes) { chunks in decode(chunks, limits) }
    }

    static func of(_ text: String, limits: RESPLimits = RESPLimits()) -> RESPOutcome {
        of(Array(text.utf8), limits: limits)
    }

    private static func decode(_ chunks: [[UInt8]], _ limits: RESPLimits) -> RESPOutcome {
        var decoder = RESPDecoder(limits: limits)
        var outcome = RESPOutcome()
        for chunk in chunks {
            chunk.withUnsafeBytes { bytes in
                var input = bytes
                do throws(RESPError) {
                    while let value = try decoder.next(&input) { outcome.values.append(value) }
                } catch {
                    outcome.error = error
                }
            }
            if outcome.error != nil { return outcome }
        }
        outcome.isInsideValue = decoder.isInsideValue
        return outcome
    }
}

extension RESPValue {
    static func simpleString(_ text: String) -> RESPValue { .simpleString(Array(text.utf8)) }
    static func push(_ texts: String...) -> RESPValue { .push(texts.map { .bulkString($0) }) }
    static func error(_ code: String, _ text: String) -> RESPValue { .error(RedisErrorReply(code: code, text: text)) }
}
