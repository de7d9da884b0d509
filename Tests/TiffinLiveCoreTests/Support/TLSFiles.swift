import Glibc

@testable import TiffinLiveCore

/// A certificate and its key in two files of a folder, for a server or a balancer that reads them. Gone with the object.
final class TLSFiles {
    let folder: String
    /// For a server that is to use them.
    var settings: [String] {
        [#"tls={certificate:"file:\#(folder)/chain.pem",key:"file:\#(folder)/key.pem"}"#]
    }

    init(_ certificate: TLSCertificate) throws {
        var template = Array("/tmp/tiffin-live-tls-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
        folder = String(cString: made)
        try replace(certificate)
    }

    deinit {
        for name in ["chain.pem", "key.pem"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    func replace(_ certificate: TLSCertificate) throws {
        try write(certificate.pem, "chain.pem")
        try write(certificate.keyPEM, "key.pem")
    }

    func write(_ bytes: [UInt8], _ name: String) throws {
        let file = open("\(folder)/new", O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        guard file >= 0, Glibc.write(file, bytes, bytes.count) == bytes.count else { throw SystemError.last("write") }
        close(file)
        rename("\(folder)/new", "\(folder)/\(name)")
    }
}
