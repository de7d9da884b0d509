import Glibc

// Swift's runtime looks for the arguments in front of the environment, and finds none where a preloaded library (an agent,
// libfaketime) has moved that before. The kernel knows them, each with a zero behind it.
var words = CommandLine.arguments
if words.isEmpty {
    let bytes = (try? FileStore.read("/proc/self/cmdline")) ?? []
    words = bytes.split(separator: 0, omittingEmptySubsequences: false).dropLast().map {
        String(decoding: $0, as: UTF8.self)
    }
}
exit(CommandLineTool.run(Array(words.dropFirst())))
