/// Why a signing key cannot be made, read or used, in words for whoever runs `keygen` or `token`. Holds no key material.
package struct SigningKeyError: Error, Equatable, Sendable, CustomStringConvertible {
    /// Continues "the signing key …".
    let problem: String

    init(_ problem: String) {
        self.problem = problem
    }

    package var description: String { "the signing key \(problem)" }
}
