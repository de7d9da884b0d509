@testable import TiffinLiveCore

/// A certificate and its key in two files of a folder, for a server or a balancer that reads them. Gone with the object.
final class TLSFiles {
    private let files: TemporaryFolder
    var folder: String { files.path }
    /// For a server that is to use them.
    var settings: [String] {
        [#"tls={certificate:"file:\#(folder)/chain.pem",key:"file:\#(folder)/key.pem"}"#]
    }

    init(_ certificate: TLSCertificate) throws {
        files = try TemporaryFolder()
        try replace(certificate)
    }

    func replace(_ certificate: TLSCertificate) throws {
        try write(certificate.pem, "chain.pem")
        try write(certificate.keyPEM, "key.pem")
    }

    func write(_ bytes: [UInt8], _ name: String) throws {
        try files.replace(name, with: bytes)
    }
}
