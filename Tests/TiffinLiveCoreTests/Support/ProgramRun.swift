import Glibc

@testable import TiffinLiveCore

/// A program that was run to its end, with what it wrote to standard output and to standard error.
struct ProgramRun {
    /// The exit status, or the negative number of the signal that ended it.
    let status: Int32
    let output: String
    let errors: String

    /// The first of the usual places that has the program; nil when none has.
    static func find(_ name: String) -> String? {
        ["/usr/bin", "/usr/local/bin", "/bin", "/usr/sbin"].map { "\($0)/\(name)" }.first { access($0, X_OK) == 0 }
    }

    /// `arguments` begin with the program's path.
    init(_ arguments: [String], input: [UInt8] = []) throws {
        let folder = try TemporaryFolder()
        try folder.write(input, to: "input")
        let streams = Spawn.Streams(
            input: folder.path + "/input", output: folder.path + "/output", errors: folder.path + "/errors")
        status = Spawn.wait(for: try Spawn.start(arguments, streams))
        output = try folder.text(of: "output")
        errors = try folder.text(of: "errors")
    }
}
