import Glibc
import TiffinLiveCore

/// Files and folders of the commands. Everything throws a sentence for standard error.
enum FileStore {
    /// More than any key file or configuration needs.
    private static let sizeLimit = 1 << 20

    static func read(_ path: String) throws(CommandError) -> [UInt8] {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY)
        guard descriptor >= 0 else { throw failure("open", path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 64 << 10)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            if count < 0, errno == EINTR { continue }
            guard count >= 0 else { throw failure("read", path) }
            if count == 0 { return bytes }
            bytes += chunk.prefix(count)
            guard bytes.count <= sizeLimit else { throw .failed("\(path) is larger than 1 MiB; is it the right file?") }
        }
    }

    /// Makes a file that must not be there yet, so that no key is ever overwritten and no link followed.
    static func create(_ path: String, _ text: String, mode: mode_t) throws(CommandError) {
        let descriptor = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, mode)
        guard descriptor >= 0 else {
            if errno == EEXIST {
                throw .failed("\(path) is there already; name another folder with --out, or move the file away")
            }
            throw failure("create", path)
        }
        defer { close(descriptor) }
        let bytes = Array((text + "\n").utf8)
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else {
                let error = failure("write", path)
                unlink(path)
                throw error
            }
            start += count
        }
    }

    static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Makes the last folder of `path` unless it is there.
    static func makeFolder(_ path: String) throws(CommandError) {
        guard mkdir(path, 0o755) == 0 || errno == EEXIST else { throw failure("make the folder", path) }
    }

    /// A new folder that only this user can enter.
    static func makeTemporaryFolder() throws(CommandError) -> String {
        let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
        var template = Array("\(parent)/tiffin-live-demo-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else { throw failure("make a folder in", parent) }
        return template.withUnsafeBufferPointer { characters in
            String(decoding: characters.dropLast().lazy.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
    }

    private static func failure(_ what: String, _ path: String) -> CommandError {
        .failed("cannot \(what) \(path): \(SystemError.text(of: errno))")
    }
}
