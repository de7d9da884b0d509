/// The member names of the objects that are open while JSON is read, to find names given twice.
///
/// Names are compared as decoded bytes when their object closes: each with each in small objects, sorted in large
/// ones, so that no object makes it quadratic. Names without escapes stay in the text; the others are decoded aside.
struct JSONNameStack {
    private struct Entry {
        /// In the text or, when `isDecoded`, in `decoded`.
        let start: Int
        let count: Int
        /// Where the name stands in the text.
        let position: Int
        let isDecoded: Bool
    }

    private static let smallObject = 8
    /// Room made at once, so that the usual text costs one allocation.
    private static let usualCount = 16

    private var entries: [Entry] = []
    /// Never larger than the text, so it is not cut back.
    private var decoded: [UInt8] = []

    var count: Int { entries.count }

    mutating func push(_ token: JSONScanner.StringToken, of scanner: JSONScanner) {
        if entries.isEmpty { entries.reserveCapacity(Self.usualCount) }
        guard token.isEscaped else {
            entries.append(Entry(start: token.start, count: token.count, position: token.start, isDecoded: false))
            return
        }
        let name = [UInt8](unsafeUninitializedCapacity: token.count) { output, count in
            count = scanner.decode(token, into: output)
        }
        entries.append(Entry(start: decoded.count, count: name.count, position: token.start, isDecoded: true))
        decoded.append(contentsOf: name)
    }

    /// Forgets the names from `mark` on, which are those of one object. Tells where a repeated name stands, or nil.
    mutating func pop(to mark: Int, text: UnsafeRawBufferPointer) -> Int? {
        defer { entries.removeSubrange(mark...) }
        let count = entries.count - mark
        guard count > 1 else { return nil }
        if count > Self.smallObject {
            decoded.withUnsafeBytes { decoded in
                entries[mark...].sort { Self.order($0, $1, text, decoded) < 0 }
            }
        }
        return decoded.withUnsafeBytes { decoded in
            for index in mark..<entries.count {
                // Sorted names are equal to their neighbours or to none.
                let end = count > Self.smallObject ? min(index + 2, entries.count) : entries.count
                for other in index + 1..<max(end, index + 1) {
                    guard Self.order(entries[index], entries[other], text, decoded) != 0 else {
                        return max(entries[index].position, entries[other].position)
                    }
                }
            }
            return nil
        }
    }

    /// Negative, zero or positive. Any order does as long as it is total; this one looks at lengths first.
    private static func order(
        _ left: Entry, _ right: Entry, _ text: UnsafeRawBufferPointer, _ decoded: UnsafeRawBufferPointer
    ) -> Int {
        guard left.count == right.count else { return left.count < right.count ? -1 : 1 }
        let leftBytes = left.isDecoded ? decoded : text
        let rightBytes = right.isDecoded ? decoded : text
        var offset = 0
        while left.count - offset >= ByteWord.size {
            let leftWord = ByteWord(leftBytes, at: left.start + offset).bits
            let rightWord = ByteWord(rightBytes, at: right.start + offset).bits
            guard leftWord == rightWord else { return leftWord < rightWord ? -1 : 1 }
            offset += ByteWord.size
        }
        while offset < left.count {
            let leftByte = leftBytes[left.start + offset]
            let rightByte = rightBytes[right.start + offset]
            guard leftByte == rightByte else { return leftByte < rightByte ? -1 : 1 }
            offset += 1
        }
        return 0
    }
}
