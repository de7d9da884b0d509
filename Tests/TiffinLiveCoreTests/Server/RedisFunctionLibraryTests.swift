import Testing

@testable import TiffinLiveCore

/// The function library is one text in two places: in the program, and as a file for those who load it by hand.
@Suite("The function library")
struct RedisFunctionLibraryTests {
    private static let path =
        String(#filePath.dropLast("Tests/TiffinLiveCoreTests/Server/RedisFunctionLibraryTests.swift".count))
        + "config/redis/tiffin_live.lua"

    @Test("the program loads what the file says")
    func sameText() throws {
        let file = String(decoding: try SecretReference.file(Self.path).read(), as: UTF8.self)
        #expect(file == RedisFunctionLibrary.source + "\n" || file == RedisFunctionLibrary.source)
    }

    @Test("the version stands in the text")
    func version() {
        #expect(RedisFunctionLibrary.source.contains("\nlocal VERSION = \(RedisFunctionLibrary.version)\n"))
    }

    @Test("the file says what the defaults are")
    func defaults() throws {
        let events = try ServerConfiguration.load(path: nil, overrides: [#"tokens.keys="file:x""#]).events
        let text = RedisFunctionLibrary.text(
            prefix: events.prefix, keep: events.keep, seconds: Int(events.keepFor / .second))
        #expect(text == RedisFunctionLibrary.source)
    }

    @Test("settings stand in its first lines, and a quote in the prefix ends no string")
    func settings() {
        let text = RedisFunctionLibrary.text(prefix: #"e'v\:"#, keep: 7, seconds: 0)
        #expect(text.contains(#"local PREFIX = 'e\'v\\:'"# + "\n"))
        #expect(text.contains("local KEEP = 7\n"))
        #expect(text.contains("local SECONDS = 0\n"))
        #expect(text.split(separator: "\n").count == RedisFunctionLibrary.source.split(separator: "\n").count)
    }
}
