import Glibc

@testable import TiffinLiveCore

/// Reads the vector files that lie beside this source file, without bundles and without Foundation.
enum VectorFile {
    struct Missing: Error {
        let path: String
    }

    /// The JSON document at `name`, relative to this folder.
    static func read(_ name: String) throws -> JSONValue {
        try JSONReader.read(bytes(name))
    }

    /// A Wycheproof file: its groups, each with its tests.
    static func groups(_ name: String) throws -> [JSONValue] {
        try read("wycheproof/\(name).json")["testGroups"]?.arrayValue ?? []
    }

    static func bytes(_ name: String) throws -> [UInt8] {
        let folder = "\(#filePath)".split(separator: "/").dropLast().joined(separator: "/")
        let path = "/\(folder)/\(name)"
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw Missing(path: path) }
        defer { close(descriptor) }
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        while true {
            let count = Glibc.read(descriptor, &chunk, chunk.count)
            guard count > 0 else { break }
            bytes += chunk[..<count]
        }
        return bytes
    }
}

extension JSONValue {
    /// The bytes of a text in hexadecimal; empty when it is none.
    var hexBytes: [UInt8] {
        let digits = Array((stringValue ?? "").utf8).compactMap { ASCII.hexValue($0) }
        return stride(from: 0, to: digits.count - digits.count % 2, by: 2).map { digits[$0] << 4 | digits[$0 + 1] }
    }

    var base64URLBytes: [UInt8] {
        Array((stringValue ?? "").utf8).withUnsafeBytes { Base64.decodeURL($0) } ?? []
    }

    var tests: [JSONValue] { self["tests"]?.arrayValue ?? [] }
    var testID: Int64 { self["tcId"]?.numberValue?.int64 ?? 0 }
    var isMarkedValid: Bool { self["result"]?.stringValue == "valid" }

    /// As one line of JSON.
    var jsonText: String {
        let buffer = ByteBuffer()
        JSONWriter.append(self, to: buffer)
        return String(decoding: buffer.array, as: UTF8.self)
    }
}

/// What the signature layer alone says about a JWS: shape, header, key, signature; no claims, no clock.
enum SignatureLayer {
    /// The payload part of `token` when its signature is good under a key of `keys`.
    static func payload(of token: String, keys: KeySet) throws(JWTError) -> [UInt8] {
        try Array(token.utf8).withUnsafeBufferPointer { bytes throws(JWTError) in
            let jws = try CompactJWS(UnsafeRawBufferPointer(bytes))
            let key = keys.keys[try keys.index(for: JOSEHeader(base64URL: jws.header))]
            guard let payload = Base64.decodeURL(jws.payload), let signature = Base64.decodeURL(jws.signature) else {
                throw .notBase64URL
            }
            guard let verifier = try? SignatureVerifier(key.algorithm, key: key.key),
                signature.withUnsafeBytes({ verifier.verifies($0, of: jws.signingInput) })
            else { throw .signatureInvalid }
            return payload
        }
    }

    static func accepts(_ token: String, jwks: JSONValue) -> Bool {
        guard let keys = try? KeySet.read(Array(jwks.jsonText.utf8)) else { return false }
        return (try? payload(of: token, keys: keys)) != nil
    }
}
