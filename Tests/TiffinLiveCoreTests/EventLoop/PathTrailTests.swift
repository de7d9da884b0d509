import Testing

@testable import TiffinLiveCore

@Suite("The directories that decide what a path leads to")
struct PathTrailTests {
    private let folder: TemporaryFolder

    init() throws {
        folder = try TemporaryFolder()
    }

    private func directories(_ path: String) -> [String] {
        PathTrail.directories(of: folder.path + "/" + path).map { directory in
            directory == folder.path ? "." : String(directory.dropFirst(folder.path.utf8.count + 1))
        }
    }

    @Test("of a plain file it is the file's own")
    func plain() throws {
        try folder.make("a/b")
        try folder.write("x", to: "a/b/keys.json")
        #expect(directories("a/b/keys.json") == ["a/b"])
        #expect(directories("a//b/keys.json") == ["a/b"])
    }

    @Test("each symbolic link adds the one that holds it, as in a volume of Kubernetes")
    func links() throws {
        try folder.make("keys/..2026_1")
        try folder.write("x", to: "keys/..2026_1/keys.json")
        try folder.link("keys/..data", to: "..2026_1")
        try folder.link("keys/keys.json", to: "..data/keys.json")
        #expect(directories("keys/keys.json") == ["keys", "keys/..2026_1"])
    }

    @Test("a link to a directory further up counts too, relative or absolute")
    func directoryLinks() throws {
        try folder.make("releases/5/etc")
        try folder.write("x", to: "releases/5/etc/keys.json")
        try folder.link("current", to: "releases/5")
        #expect(directories("current/etc/keys.json") == [".", "releases/5/etc"])
        try folder.link("absolute", to: folder.path + "/releases/5")
        #expect(directories("absolute/etc/keys.json") == [".", "releases/5/etc"])
        try folder.link("releases/6", to: "../releases/5")
        #expect(directories("releases/6/etc/keys.json") == ["releases", "releases/../releases/5/etc"])
    }

    @Test("where a part is missing, it is the one in which that would be made")
    func missing() throws {
        try folder.make("a")
        #expect(directories("a/b/c/keys.json") == ["a"])
        #expect(directories("a/keys.json") == ["a"])
        try folder.link("a/link", to: "nowhere")
        #expect(directories("a/link") == ["a"])
    }

    @Test("links that go round end")
    func round() throws {
        try folder.link("one", to: "two")
        try folder.link("two", to: "one")
        #expect(directories("one") == ["."])
    }
}
