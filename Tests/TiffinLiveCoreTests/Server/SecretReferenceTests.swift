import Glibc
import Testing

@testable import TiffinLiveCore

@Suite("Secret references")
struct SecretReferenceTests {
    @Test(
        "the three forms are read and written alike",
        arguments: ["file:/etc/keys.json", "file:keys:x.json", "env:LIVE_KEYS", "credential:keys"])
    func forms(text: String) throws {
        #expect(try #require(SecretReference(text)).description == text)
    }

    @Test(
        "anything else is none",
        arguments: ["", "keys", "file:", "env:", "credential:", "env:A=B", "credential:a/b", "credential:..", "FILE:x"])
    func malformed(text: String) {
        #expect(SecretReference(text) == nil)
    }

    @Test("a file is read whole, and refused when it is larger than 1 MiB")
    func file() throws {
        var name = Array("/tmp/secret-XXXXXX".utf8CString)
        let descriptor = mkstemp(&name)
        let path = String(decoding: name.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        defer {
            close(descriptor)
            unlink(path)
        }
        let bytes = (0..<(1 << 20)).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        #expect(bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) } == bytes.count)
        #expect(try SecretReference.file(path).read() == bytes)
        #expect(write(descriptor, "x", 1) == 1)
        let fault = try #require(throws: SecretReference.Fault.self) { try SecretReference.file(path).read() }
        #expect(fault.message.contains("1 MiB"))
    }

    @Test("a fault says what could not be had and why")
    func faults() throws {
        let missing = try #require(throws: SecretReference.Fault.self) {
            try SecretReference.file("/nonexistent/x").read()
        }
        #expect(missing.message == "cannot open /nonexistent/x: No such file or directory")
        let folder = try #require(throws: SecretReference.Fault.self) { try SecretReference.file("/").read() }
        #expect(folder.message == "cannot read /: Is a directory")
        let unset = try #require(throws: SecretReference.Fault.self) {
            try SecretReference.environment("TIFFIN_LIVE_UNSET").read()
        }
        #expect(unset.message.contains("TIFFIN_LIVE_UNSET"))
    }

    @Test("the environment gives the bytes of a variable")
    func environment() throws {
        setenv("TIFFIN_LIVE_TEST_SECRET", "s\u{E9}cret", 1)
        #expect(try SecretReference.environment("TIFFIN_LIVE_TEST_SECRET").read() == Array("s\u{E9}cret".utf8))
        #expect(SecretReference.environment("PATH").path == nil)
    }
}
