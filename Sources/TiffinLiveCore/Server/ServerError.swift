/// Why a server could not start: one sentence for standard error, with what to do.
package struct ServerError: Error, CustomStringConvertible, Sendable {
    package let description: String

    init(_ description: String) {
        self.description = description
    }
}
