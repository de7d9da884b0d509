import CEpoll
import Glibc

/// A system call that failed: which one (or what it was for) and its error number.
///
/// Only for failures that somebody must hear of: would-block and end of stream are values of `SocketResult`.
package struct SystemError: Error, Equatable, Sendable, CustomStringConvertible {
    let operation: String
    /// `errno` right after the call.
    let code: Int32

    init(_ operation: String, code: Int32) {
        self.operation = operation
        self.code = code
    }

    /// Takes `errno`; to be called before anything else can change it.
    static func last(_ operation: String) -> SystemError {
        let code = errno
        return SystemError(operation, code: code)
    }

    package var description: String { "\(operation): \(SystemError.text(of: code))" }

    /// The C library's text of an error number.
    package static func text(of code: Int32) -> String {
        withUnsafeTemporaryAllocation(of: CChar.self, capacity: 128) { buffer in
            guard let text = tiffin_error_text(code, buffer.baseAddress, buffer.count) else { return "error \(code)" }
            return String(cString: text)
        }
    }
}
