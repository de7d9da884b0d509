/// A connection on which a PROXY header is awaited. Boxed, since it lives only until the header is there.
final class ProxyHeaderReading {
    private var decoder = ProxyHeaderDecoder()

    func receive(_ bytes: UnsafeRawBufferPointer, consumed: inout Int) throws(ProxyHeaderError) -> ProxyHeader? {
        try decoder.receive(bytes, consumed: &consumed)
    }
}
