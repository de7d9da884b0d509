/// The keys that tokens are verified with: a JWK set (RFC 7517 §5) that was checked whole before anything of it is
/// used. Immutable; a reload makes another one.
struct KeySet: Sendable {
    /// Bytes of the file, and keys in it: far above any rotation, far below what would stall a start.
    static let maximumSize = 1 << 20
    static let maximumCount = 1000

    let keys: [JSONWebKey]
    /// One line for each key that was left out, for the log.
    let notes: [String]
    private let indexByID: [String: Int]

    var count: Int { keys.count }

    /// Reads a JWK set, or one JWK alone. One bad key refuses the file; a key that is no signature key of a kind known
    /// here is left out with a note.
    static func read(_ json: [UInt8]) throws(KeySetError) -> KeySet {
        guard json.count <= maximumSize else { throw KeySetError(problem: "is larger than 1 MiB") }
        let value: JSONValue
        do {
            value = try JSONReader.read(json)
        } catch {
            throw KeySetError(problem: "is not JSON: \(error.message) at byte \(error.offset)")
        }
        guard let object = value.objectValue else { throw KeySetError(problem: "is not a JSON object") }
        guard let list = object["keys"] else {
            if object["kty"] != nil { return try KeySet([value]) }
            throw KeySetError(problem: "has no \"keys\"")
        }
        guard let elements = list.arrayValue else { throw KeySetError(problem: "has \"keys\" that are not a list") }
        return try KeySet(elements)
    }

    private init(_ elements: [JSONValue]) throws(KeySetError) {
        guard elements.count <= Self.maximumCount else {
            throw KeySetError(problem: "has more than \(Self.maximumCount) keys")
        }
        var keys: [JSONWebKey] = []
        var notes: [String] = []
        var indexByID: [String: Int] = [:]
        for (index, element) in elements.enumerated() {
            guard let members = element.objectValue else {
                throw KeySetError(index: index, problem: "is not a JSON object")
            }
            let keyID = members["kid"]?.stringValue
            do throws(JSONWebKey.Problem) {
                switch try JSONWebKey.read(members) {
                case .skipped(let reason):
                    notes.append("key \(index + 1)\(KeySetError.label(keyID)) \(reason): left out")
                case .key(let key):
                    if let keyID = key.keyID, indexByID.updateValue(keys.count, forKey: keyID) != nil {
                        throw JSONWebKey.Problem("has the same \"kid\" as another key")
                    }
                    keys.append(key)
                }
            } catch {
                throw KeySetError(index: index, keyID: keyID, problem: error.text)
            }
        }
        try Self.checkTogether(keys)
        self.keys = keys
        self.notes = notes
        self.indexByID = indexByID
    }

    private static func checkTogether(_ keys: [JSONWebKey]) throws(KeySetError) {
        guard let first = keys.first else {
            throw KeySetError(problem: "has no key that signatures can be verified with")
        }
        // A set with both is how a public key ends up as the secret of an HMAC (RFC 8725 §2.1).
        guard keys.allSatisfy({ $0.algorithm.isSymmetric == first.algorithm.isSymmetric }) else {
            throw KeySetError(problem: "mixes symmetric and asymmetric keys")
        }
        guard keys.count == 1 || keys.allSatisfy({ $0.keyID != nil }) else {
            throw KeySetError(problem: "has several keys, and one of them has no \"kid\"")
        }
    }

    /// The index of the one key that `header` may be verified with. Its algorithm is the key's, never the token's
    /// choice (RFC 8725 §3.1).
    func index(for header: JOSEHeader) throws(JWTError) -> Int {
        let index: Int
        if let keyID = header.keyID {
            guard let found = indexByID[keyID] else { throw .keyUnknown }
            index = found
        } else {
            guard keys.count == 1 else { throw .keyIDMissing }
            index = 0
        }
        guard keys[index].algorithm == header.algorithm else { throw .algorithmNotOfKey }
        return index
    }
}
