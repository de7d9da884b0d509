/// Why a key file is refused, in words for the operator. Never holds key material.
struct KeySetError: Error, Equatable, Sendable, CustomStringConvertible {
    /// The position in `keys`, from 0; nil when the fault is not one key's.
    let index: Int?
    let keyID: String?
    /// Continues "the key set …" or "key 1 (kid "a") …".
    let problem: String

    init(index: Int? = nil, keyID: String? = nil, problem: String) {
        self.index = index
        self.keyID = keyID
        self.problem = problem
    }

    var description: String {
        guard let index else { return "the key set \(problem)" }
        return "key \(index + 1)\(Self.label(keyID)) \(problem)"
    }

    static func label(_ keyID: String?) -> String {
        guard let keyID else { return "" }
        let isPlain = keyID.utf8.count <= 64 && keyID.utf8.allSatisfy { $0 > ASCII.space && $0 < ASCII.delete }
        return isPlain ? " (kid \"\(keyID)\")" : ""
    }
}
