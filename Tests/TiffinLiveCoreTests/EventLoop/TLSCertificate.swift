internal import COpenSSL

@testable import TiffinLiveCore

/// A certificate with its key, made by the test that wants it.
final class TLSCertificate: @unchecked Sendable {
    enum KeyKind: Sendable { case p256, rsa2048, rsa1024 }

    /// `X509` and `EVP_PKEY`, owned.
    private let certificate: OpaquePointer
    private let privateKey: OpaquePointer

    /// A self-signed one unless `issuer` signs. Dates are seconds from now.
    init(
        name: String = "test", alternativeNames: String? = "DNS:localhost,IP:127.0.0.1", isAuthority: Bool = false,
        issuer: TLSCertificate? = nil, from: Int = -3600, until: Int = 86_400, key kind: KeyKind = .p256
    ) throws {
        defer { ERR_clear_error() }
        guard let certificate = X509_new(), let privateKey = Self.makeKey(kind) else { throw Failure.refused }
        self.certificate = certificate
        self.privateKey = privateKey
        ASN1_INTEGER_set(X509_get_serialNumber(certificate), Int.random(in: 1...(1 << 60)))
        X509_set_version(certificate, 2)
        X509_gmtime_adj(X509_getm_notBefore(certificate), from)
        X509_gmtime_adj(X509_getm_notAfter(certificate), until)
        X509_set_pubkey(certificate, privateKey)
        X509_NAME_add_entry_by_txt(X509_get_subject_name(certificate), "CN", MBSTRING_UTF8, name, -1, -1, 0)
        let signer = issuer ?? self
        X509_set_issuer_name(certificate, X509_get_subject_name(signer.certificate))
        try add(NID_basic_constraints, isAuthority ? "critical,CA:TRUE" : "CA:FALSE")
        if let alternativeNames { try add(NID_subject_alt_name, alternativeNames) }
        guard X509_sign(certificate, signer.privateKey, EVP_sha256()) > 0 else { throw Failure.refused }
    }

    deinit {
        X509_free(certificate)
        EVP_PKEY_free(privateKey)
    }

    enum Failure: Error { case refused }

    var pem: [UInt8] { Self.text { PEM_write_bio_X509($0, certificate) } }

    var keyPEM: [UInt8] { Self.text { PEM_write_bio_PrivateKey($0, privateKey, nil, nil, 0, nil, nil) } }

    var encryptedKeyPEM: [UInt8] {
        Self.text { PEM_write_bio_PrivateKey($0, privateKey, EVP_aes_128_cbc(), "secret", 6, nil, nil) }
    }

    private func add(_ extensionID: Int32, _ value: String) throws {
        guard let made = X509V3_EXT_conf_nid(nil, nil, extensionID, value) else { throw Failure.refused }
        X509_add_ext(certificate, made, -1)
        X509_EXTENSION_free(made)
    }

    private static func makeKey(_ kind: KeyKind) -> OpaquePointer? {
        switch kind {
        case .p256: tiffin_generate_ec("P-256")
        case .rsa2048: tiffin_generate_rsa(2048)
        case .rsa1024: tiffin_generate_rsa(1024)
        }
    }

    private static func text(_ write: (OpaquePointer?) -> Int32) -> [UInt8] {
        let sink = BIO_new(BIO_s_mem())
        defer { BIO_free(sink) }
        guard write(sink) == 1 else { return [] }
        var bytes = [UInt8](repeating: 0, count: Int(BIO_ctrl_pending(sink)))
        let count = BIO_read(sink, &bytes, Int32(bytes.count))
        return Array(bytes.prefix(Int(count)))
    }
}
