extension ServerConfiguration {
    /// The certificate and the key as they are in their files now; nil without TLS.
    func readCertificate() throws(ServerError) -> TLSContext? {
        guard let tls else { return nil }
        let chain = try Self.read(tls.certificate, "tls.certificate")
        let key = try Self.read(tls.key, "tls.key")
        do {
            return try TLSContext.server(certificateChain: chain, key: key)
        } catch {
            throw ServerError("tls: \(error)")
        }
    }

    private static func read(_ secret: SecretReference, _ key: String) throws(ServerError) -> [UInt8] {
        do {
            return try secret.read()
        } catch {
            throw ServerError("\(key): \(error.message)")
        }
    }
}
