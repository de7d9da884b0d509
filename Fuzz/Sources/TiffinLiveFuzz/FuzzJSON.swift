@testable import TiffinLiveCore

/// Both readers agree, what was read is written and read again as the same, and any bytes at all make a JSON string.
enum FuzzJSON {
    static func run(_ bytes: [UInt8]) {
        let isValid = bytes.withUnsafeBytes { JSONReader.isValid($0) }
        do throws(JSONError) {
            let value = try JSONReader.read(bytes)
            check(isValid, "read, but said to be invalid")
            let written = write { JSONWriter.append(value, to: $0) }
            do throws(JSONError) {
                let again = try JSONReader.read(written)
                check(again == value, "written as another value")
            } catch {
                check(false, "wrote what cannot be read: \(error)")
            }
            configuration(bytes)
        } catch {
            check(!isValid, "said to be valid, but \(error)")
            check(error.offset >= 0 && error.offset <= bytes.count, "offset \(error.offset)")
        }
        let string = write { buffer in bytes.withUnsafeBytes { JSONWriter.append(string: $0, to: buffer) } }
        check(string.withUnsafeBytes { JSONReader.isValid($0) }, "a string that is no JSON")
        check(!string.contains { $0 < 0x20 || $0 == 0x7F }, "a control byte in a string")
    }

    /// JSON5 is a superset of JSON.
    private static func configuration(_ bytes: [UInt8]) {
        do throws(JSON5Error) {
            _ = try JSON5Reader.read(bytes)
        } catch {
            check(false, "JSON that is refused as JSON5: \(error)")
        }
    }

    private static func write(_ body: (ByteBuffer) -> Void) -> [UInt8] {
        let buffer = ByteBuffer()
        body(buffer)
        return buffer.array
    }
}
