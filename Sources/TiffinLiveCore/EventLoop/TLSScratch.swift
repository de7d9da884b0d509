/// Room that the TLS connections of one loop share, each for the length of a call. A loop without TLS has none.
final class TLSScratch {
    /// What the last read has decrypted. The receiver may change it in place.
    let plaintext = ByteBuffer(capacity: 64 << 10)
    /// Records on their way out.
    let records = ByteBuffer(capacity: 64 << 10)

    /// The bytes of `plaintext`, to be changed in place.
    var received: UnsafeMutableRawBufferPointer {
        UnsafeMutableRawBufferPointer(start: plaintext.base, count: plaintext.count)
    }
}
