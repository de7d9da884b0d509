import Glibc

/// Standard input, output and error, unbuffered: what is written is there, also when the process is killed.
enum Console {
    static func out(_ line: String) {
        write(line, to: STDOUT_FILENO)
    }

    static func error(_ line: String) {
        write(line, to: STDERR_FILENO)
    }

    /// All of standard input; nil when it is longer than `limit` or cannot be read.
    static func input(limit: Int) -> [UInt8]? {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 4096)
        while bytes.count <= limit {
            let count = read(STDIN_FILENO, &chunk, chunk.count)
            if count == 0 { return bytes }
            if count < 0 {
                guard errno == EINTR else { return nil }
                continue
            }
            bytes += chunk.prefix(count)
        }
        return nil
    }

    /// A text from outside for a message: one line, of bounded length, nothing that steers a terminal.
    static func quoted(_ text: String) -> String {
        let scalars = text.unicodeScalars.prefix(80).map { scalar in
            switch scalar.properties.generalCategory {
            case .control, .format, .lineSeparator, .paragraphSeparator, .unassigned, .privateUse: "?"
            default: String(scalar)
            }
        }
        return "\"\(scalars.joined())\""
    }

    private static func write(_ line: String, to descriptor: Int32) {
        let bytes = Array(line.utf8) + [0x0A]
        var start = 0
        while start < bytes.count {
            let count = bytes.withUnsafeBytes {
                Glibc.write(descriptor, $0.baseAddress?.advanced(by: start), $0.count - start)
            }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            start += count
        }
    }
}
