import Glibc

@testable import TiffinLiveCore

/// A folder for one test, which goes with all that is in it.
final class TemporaryFolder {
    let path: String

    init() throws {
        // Not in TMPDIR: a path of a Unix socket is short, and others than us must reach it (nginx works as nobody).
        var template = Array("/tmp/tiffin-folder-XXXXXX".utf8CString)
        guard let made = mkdtemp(&template) else { throw SystemError.last("mkdtemp") }
        path = String(cString: made)
    }

    deinit {
        Self.remove(path)
    }

    func make(_ name: String) throws {
        var current = path
        for part in name.split(separator: "/") {
            current += "/" + part
            guard mkdir(current, 0o755) == 0 || errno == EEXIST else { throw SystemError.last("mkdir \(current)") }
        }
    }

    /// Writes in place.
    func write(_ text: String, to name: String, mode: mode_t = 0o600) throws {
        try write(Array(text.utf8), to: name, mode: mode)
    }

    func write(_ bytes: [UInt8], to name: String, mode: mode_t = 0o600) throws {
        let file = open("\(path)/\(name)", O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw SystemError.last("open \(name)") }
        defer { close(file) }
        guard Glibc.write(file, bytes, bytes.count) == bytes.count, fchmod(file, mode) == 0 else {
            throw SystemError.last("write \(name)")
        }
    }

    func text(of name: String) throws -> String {
        String(decoding: try SecretReference.file("\(path)/\(name)").read(), as: UTF8.self)
    }

    /// Writes another file and renames it.
    func replace(_ name: String, with text: String) throws {
        try replace(name, with: Array(text.utf8))
    }

    func replace(_ name: String, with bytes: [UInt8]) throws {
        try write(bytes, to: name + ".new")
        try move(name + ".new", to: name)
    }

    func move(_ name: String, to other: String) throws {
        guard rename("\(path)/\(name)", "\(path)/\(other)") == 0 else { throw SystemError.last("rename \(name)") }
    }

    func link(_ name: String, to target: String) throws {
        guard symlink(target, "\(path)/\(name)") == 0 else { throw SystemError.last("symlink \(name)") }
    }

    func remove(_ name: String) {
        unlink("\(path)/\(name)")
    }

    private static func remove(_ path: String) {
        guard let directory = opendir(path) else { return }
        while let entry = readdir(directory) {
            let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
                String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
            }
            guard name != ".", name != ".." else { continue }
            let full = "\(path)/\(name)"
            var status = stat()
            guard lstat(full, &status) == 0 else { continue }
            if status.st_mode & S_IFMT == S_IFDIR { remove(full) } else { unlink(full) }
        }
        closedir(directory)
        rmdir(path)
    }
}
