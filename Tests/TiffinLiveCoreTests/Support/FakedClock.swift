import Glibc

@testable import TiffinLiveCore

/// A wall clock that a test sets for another process while it runs; the monotonic one is left alone (libfaketime).
final class FakedClock {
    private static let library: String? = {
        let paths = ["x86_64", "aarch64"].map { "/usr/lib/\($0)-linux-gnu/faketime/libfaketimeMT.so.1" }
        return paths.first { path in access(path, R_OK) == 0 }
    }()
    static let isInstalled = library != nil

    private let files: TemporaryFolder

    init() throws {
        files = try TemporaryFolder()
        try set(seconds: 0)
    }

    /// For the process.
    var environment: [String: String] {
        [
            "LD_PRELOAD": Self.library ?? "", "FAKETIME_TIMESTAMP_FILE": files.path + "/offset",
            "FAKETIME_NO_CACHE": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1", "DONT_FAKE_MONOTONIC": "1",
        ]
    }

    /// Sets the wall clock so much ahead of the real one.
    func set(seconds: Int) throws {
        try files.replace("offset", with: seconds < 0 ? "\(seconds)" : "+\(seconds)")
    }
}
