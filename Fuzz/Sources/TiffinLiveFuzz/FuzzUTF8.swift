@testable import TiffinLiveCore

/// The incremental validator agrees with the standard library, however the bytes are cut, and fails no later than at
/// the first byte after which nothing can make the text valid.
enum FuzzUTF8 {
    static func run(_ bytes: [UInt8]) {
        let isValid = String(validating: bytes, as: UTF8.self) != nil
        let outcome = Chunking.check(bytes) { chunks in
            var validator = UTF8Validator()
            let accepted = chunks.reduce(true) { accepted, chunk in
                chunk.withUnsafeBytes { validator.validate($0) } && accepted
            }
            return [accepted, accepted && validator.isComplete]
        }
        check(outcome[1] == isValid, "validator says \(outcome), the standard library \(isValid)")
        let completions: [[UInt8]] = [
            [], [0x80], [0x90], [0xA0], [0x80, 0x80], [0x90, 0x80], [0xA0, 0x80], [0x80, 0x80, 0x80],
            [0x90, 0x80, 0x80],
        ]
        let canBecomeValid = completions.contains { String(validating: bytes + $0, as: UTF8.self) != nil }
        check(outcome[0] == canBecomeValid, "validator says \(outcome), completion is possible: \(canBecomeValid)")
    }
}
