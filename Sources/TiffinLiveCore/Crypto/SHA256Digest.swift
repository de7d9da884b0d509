/// The 32 bytes of a SHA-256 digest (FIPS 180-4) as a key for tables: four words, no heap.
/// What was hashed is the owner's business; equal digests are taken for equal texts.
package struct SHA256Digest: Hashable, Sendable {
    let word0: UInt64
    let word1: UInt64
    let word2: UInt64
    let word3: UInt64

    static let size = 32

    /// Words in the machine's order; they compare and hash, they are not numbers.
    init(word0: UInt64, word1: UInt64, word2: UInt64, word3: UInt64) {
        self.word0 = word0
        self.word1 = word1
        self.word2 = word2
        self.word3 = word3
    }

    /// The digest in the order of the standard's output.
    package var bytes: [UInt8] {
        withUnsafeBytes(of: self) { Array($0) }
    }
}
