@testable import TiffinLiveCore

/// Short ways to read and write JSON in tests.
enum JSONText {
    static func isValid(_ text: String, maximumDepth: Int = 32) -> Bool {
        Array(text.utf8).withUnsafeBytes { JSONReader.isValid($0, maximumDepth: maximumDepth) }
    }

    static func error(_ text: String, maximumDepth: Int = 32) -> JSONError? {
        do {
            _ = try JSONReader.read(Array(text.utf8), maximumDepth: maximumDepth)
            return nil
        } catch {
            return error
        }
    }

    static func written(_ value: JSONValue) -> [UInt8] {
        let buffer = ByteBuffer()
        JSONWriter.append(value, to: buffer)
        return buffer.array
    }
}
