import Glibc

@testable import TiffinLiveCore

/// Starts programs for tests.
enum Spawn {
    /// Where the standard streams of a program go, by paths. Standard error goes with standard output when it has none.
    struct Streams {
        var input: String?
        var output = "/dev/null"
        var errors: String?
    }

    /// `arguments` begin with the program's path. `passing`: descriptors that it gets from 3 on, as systemd would have it.
    static func start(_ arguments: [String], _ streams: Streams = Streams(), passing: [Int32] = []) throws -> pid_t {
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        let writing = O_WRONLY | O_CREAT | O_APPEND
        if let input = streams.input { posix_spawn_file_actions_addopen(&actions, 0, input, O_RDONLY, 0) }
        posix_spawn_file_actions_addopen(&actions, 1, streams.output, writing, 0o600)
        if let errors = streams.errors {
            posix_spawn_file_actions_addopen(&actions, 2, errors, writing, 0o600)
        } else {
            posix_spawn_file_actions_adddup2(&actions, 1, 2)
        }
        // Out of the way of the places that they go to.
        let passed = passing.map { fcntl($0, F_DUPFD_CLOEXEC, 100) }
        defer { passed.forEach { close($0) } }
        for (place, descriptor) in passed.enumerated() {
            posix_spawn_file_actions_adddup2(&actions, descriptor, Int32(3 + place))
        }
        var words = arguments.map { strdup($0) } + [nil]
        defer { words.forEach { free($0) } }
        var id: pid_t = 0
        let result = posix_spawn(&id, arguments[0], &actions, nil, &words, environ)
        guard result == 0 else { throw SystemError("posix_spawn \(arguments[0])", code: result) }
        return id
    }

    /// Waits for its end: the exit status, or the negative number of the signal that ended it.
    static func wait(for id: pid_t) -> Int32 {
        var word: Int32 = 0
        while waitpid(id, &word, 0) < 0 && errno == EINTR {}
        return word & 0x7F == 0 ? (word >> 8) & 0xFF : -(word & 0x7F)
    }
}
