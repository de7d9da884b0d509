import Glibc

/// Keys, passwords and certificates: whether they can be read and used, and by whom else they can be read.
extension Doctor {
    mutating func examineKeys(token: [UInt8]?) {
        let source = configuration.tokens.keys
        let keys: KeySet
        do {
            keys = try RunningServer.readKeys(configuration)
        } catch {
            return fault("keys", "\(error); `tiffin-live keygen` makes a pair for a trial")
        }
        let names = Set(keys.keys.map { $0.algorithm.rawValue }).sorted()
        let count = keys.count == 1 ? "one key" : "\(keys.count) keys"
        ok("keys", "\(source): \(count) (\(names.joined(separator: ", ")))")
        for note in keys.notes { unknown("keys", note) }
        if keys.keys.contains(where: { $0.algorithm.isSymmetric }) { examineAccess("keys", source) }
        if let token { examine(token, keys) }
    }

    /// The age of a token that was issued just now is the difference of the clocks.
    private mutating func examine(_ token: [UInt8], _ keys: KeySet) {
        let wall = Clock.now().wall
        let verifier = TokenVerifier(keys: keys, policy: configuration.tokenPolicy, cacheCapacity: 1)
        switch token.withUnsafeBytes({ verifier.check($0, wall: wall) }) {
        case .refused(let error):
            fault("token", "it would be refused: \(error.rule)")
        case .needsSignature:
            unknown("token", "its signature was not verified")
        case .accepted(let claims):
            guard let issuedAt = claims.issuedAt else {
                return unknown("token", "it would be accepted; it has no iat, so the clocks cannot be compared")
            }
            let age = (wall - issuedAt) / .second
            ok("token", "it would be accepted; by the clock of this machine it was issued \(age) s ago")
        }
    }

    mutating func examineCertificate() {
        guard let tls = configuration.tls else { return }
        do {
            guard let certificate = try configuration.readCertificate() else { return }
            let end = LogTimestamp.text(wall: certificate.certificateEnd)
            let left = certificate.certificateEnd - Clock.now().wall
            let days = left / (86_400 * .second)
            if left <= 0 {
                fault("certificate", "\(tls.certificate) has expired, \(end): renew it")
            } else if days < 7 {
                fault("certificate", "\(tls.certificate) expires in \(days) days, \(end): renew it")
            } else {
                ok("certificate", "\(tls.certificate): good until \(end)")
            }
        } catch {
            fault("certificate", "\(error)")
        }
        examineAccess("certificate", tls.key)
    }

    /// A secret that everybody on this machine may read is none.
    mutating func examineAccess(_ subject: String, _ secret: SecretReference) {
        guard let path = secret.path else { return }
        var status = stat()
        guard stat(path, &status) == 0, status.st_mode & 0o007 != 0 else { return }
        fault(subject, "everybody on this machine may use \(path), which is secret: chmod o= \(path)")
    }
}
