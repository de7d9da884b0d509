import TiffinLiveCore

/// `keygen`: a signing key for the auth service and its public half for `tokens.keys`.
enum KeygenCommand: Command {
    static let name = "keygen"
    static let summary = "makes a signing key and the key set that verifies it"
    static let usage = "tiffin-live keygen --kid NAME --out DIR [--alg ES256]"
    static let details = """
        DIR/private.json   the private key as a JWK, readable for you alone: for the auth service and `token --key`
        DIR/keys.json      the public key as a JWK set: for `tokens.keys`
        Algorithms: \(SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")). Nothing is ever overwritten.
        To rotate, put the new public key beside the old one in `tokens.keys`.
        """
    static let options = [Option("alg"), Option("kid"), Option("out")]

    static func run(_ arguments: Arguments) throws(CommandError) -> Int32 {
        let keyID = try arguments.required("kid")
        let folder = try arguments.required("out")
        let algorithmName = arguments.optional("alg") ?? SignatureAlgorithm.ES256.rawValue
        guard let algorithm = SignatureAlgorithm(name: algorithmName) else {
            let names = SignatureAlgorithm.allCases.map(\.rawValue).joined(separator: ", ")
            throw .usage("--alg is one of \(names)")
        }
        let key: SigningKey
        do {
            key = try SigningKey.generate(algorithm, keyID: keyID)
        } catch {
            throw .usage(error.description)
        }
        let (privatePath, publicPath) = ("\(folder)/private.json", "\(folder)/keys.json")
        try FileStore.makeFolder(folder)
        // Both or none: a private key without its public half only looks like success.
        guard !FileStore.exists(publicPath) else {
            throw .failed("\(publicPath) is there already; name another folder with --out, or move the file away")
        }
        try FileStore.create(privatePath, key.privateJWK, mode: 0o600)
        // Of an HMAC key the "public" set is the secret itself.
        try FileStore.create(publicPath, key.publicJWKS, mode: algorithm.isSymmetric ? 0o600 : 0o644)
        Console.out("\(privatePath)\n\(publicPath)")
        return 0
    }
}
