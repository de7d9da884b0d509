/// The check of `uri-host [ ":" port ]`, the value of `Host` (RFC 9110 §7.2) and of the authority of an absolute-form
/// target. Only whether it is well formed: one server serves every name that leads to it.
enum Authority {
    static func isValid(_ bytes: UnsafeRawBufferPointer) -> Bool {
        guard let first = bytes.first else { return false }
        var hostEnd = 0
        if first == ASCII.leftBracket {
            guard let close = bytes.firstIndex(of: ASCII.rightBracket) else { return false }
            guard IPAddress(version6: UnsafeRawBufferPointer(rebasing: bytes[1..<close])) != nil else { return false }
            hostEnd = close + 1
        } else {
            let hostName = ByteSet.hostName
            while hostEnd < bytes.count, hostName.contains(bytes[hostEnd]) { hostEnd += 1 }
            guard hostEnd > 0, hostEnd <= 255 else { return false }
        }
        guard hostEnd < bytes.count else { return true }
        guard bytes[hostEnd] == ASCII.colon else { return false }
        var port = 0
        for byte in bytes[(hostEnd + 1)...] {
            guard ASCII.isDigit(byte) else { return false }
            port = port * 10 + Int(byte - ASCII.zero)
            guard port <= 65_535 else { return false }
        }
        return true
    }
}
