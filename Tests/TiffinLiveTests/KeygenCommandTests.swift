import Glibc
import Testing
import TiffinLiveCore

@testable import TiffinLive

/// `keygen`: what lies in the folder afterwards.
final class KeygenCommandTests {
    private let folder: String

    init() throws {
        folder = try FileStore.makeTemporaryFolder()
    }

    deinit {
        for name in ["private.json", "keys.json"] { unlink("\(folder)/\(name)") }
        rmdir(folder)
    }

    private func run(_ algorithm: String) throws -> Int32 {
        let words = ["--alg", algorithm, "--kid", "main", "--out", folder]
        return try KeygenCommand.run(try Arguments(words, for: KeygenCommand.self))
    }

    private func mode(of name: String) -> mode_t {
        var status = stat()
        return stat("\(folder)/\(name)", &status) == 0 ? status.st_mode & 0o777 : 0
    }

    @Test func `The private key is for its owner alone, and the public set has nothing of it`() throws {
        #expect(try run("ES256") == 0)
        #expect(mode(of: "private.json") == 0o600)
        let secret = try JSONReader.read(try FileStore.read("\(folder)/private.json"))
        let set = try JSONReader.read(try FileStore.read("\(folder)/keys.json"))
        let key = try #require(set["keys"]?.arrayValue?.first)
        #expect(secret["d"] != nil)
        #expect(key["d"] == nil)
        #expect(key["kid"] == "main")
        #expect(key["alg"] == "ES256")
        #expect(key["x"] == secret["x"])
    }

    @Test func `A symmetric key set is a secret, too`() throws {
        #expect(try run("HS256") == 0)
        #expect(mode(of: "keys.json") == 0o600)
    }

    @Test(arguments: ["private.json", "keys.json"])
    func `Nothing is overwritten, and nothing new is left beside it`(name: String) throws {
        try FileStore.create("\(folder)/\(name)", "mine", mode: 0o644)
        #expect(throws: CommandError.self) { try run("ES256") }
        #expect(try FileStore.read("\(folder)/\(name)") == Array("mine\n".utf8))
        let other = name == "keys.json" ? "private.json" : "keys.json"
        #expect(!FileStore.exists("\(folder)/\(other)"))
    }

    @Test func `A link is not followed`() throws {
        #expect(symlink("\(folder)/elsewhere", "\(folder)/private.json") == 0)
        #expect(throws: CommandError.self) { try run("ES256") }
        #expect(!FileStore.exists("\(folder)/elsewhere"))
    }

    @Test func `An unknown algorithm is a usage error`() {
        #expect {
            try run("none")
        } throws: { error in
            guard case .usage = error as? CommandError else { return false }
            return true
        }
    }
}
