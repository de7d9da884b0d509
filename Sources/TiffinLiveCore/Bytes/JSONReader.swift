/// Reads JSON texts strictly by RFC 8259, and a little more strictly where readers are known to disagree.
///
/// Refused besides what the grammar refuses: a byte order mark, bytes that are not UTF-8, halves of surrogate pairs,
/// names given twice in an object (compared after their escapes are decoded), nesting deeper than `maximumDepth`.
/// `\u0000` is allowed in strings; callers for whom it means something refuse it themselves. Numbers keep their text.
///
/// Takes time in proportion to the text (times the logarithm of the member count in large objects) and a fixed
/// amount of native stack. The size of the text is for the caller to limit.
package enum JSONReader {
    /// No larger `maximumDepth` counts, because writing and releasing a tree does recurse.
    static let greatestDepth = 512

    static func read(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int = 32) throws(JSONError) -> JSONValue {
        try validateUTF8(bytes)
        var parser = JSONParser(bytes, maximumDepth: min(maximumDepth, greatestDepth), buildsTree: true)
        try parser.run()
        return parser.takeRoot()
    }

    package static func read(_ bytes: [UInt8], maximumDepth: Int = 32) throws(JSONError) -> JSONValue {
        try bytes.withUnsafeBufferPointer { bytes throws(JSONError) in
            try read(UnsafeRawBufferPointer(bytes), maximumDepth: maximumDepth)
        }
    }

    /// Whether `read` would succeed. Builds no tree.
    static func isValid(_ bytes: UnsafeRawBufferPointer, maximumDepth: Int = 32) -> Bool {
        do {
            try validateUTF8(bytes)
            var parser = JSONParser(bytes, maximumDepth: min(maximumDepth, greatestDepth), buildsTree: false)
            try parser.run()
            return true
        } catch {
            return false
        }
    }

    /// The whole text at once: the grammar only cuts it at ASCII bytes, so every string in it is UTF-8 afterwards.
    private static func validateUTF8(_ bytes: UnsafeRawBufferPointer) throws(JSONError) {
        let text = bytes.assumingMemoryBound(to: UInt8.self)
        do {
            _ = try UTF8Span(validating: text.span)
        } catch {
            throw JSONError(offset: error.byteOffsets.lowerBound, problem: .invalidUTF8)
        }
    }
}
