@testable import TiffinLiveCore

/// Files of the project, by their path from its root.
enum ProjectFile {
    static let root = String(#filePath.dropLast("Tests/TiffinLiveCoreTests/Support/ProjectFile.swift".count))

    static func text(_ path: String) throws -> String {
        String(decoding: try SecretReference.file(root + path).read(), as: UTF8.self)
    }
}
