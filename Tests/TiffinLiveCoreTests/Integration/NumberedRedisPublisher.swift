import Glibc

@testable import TiffinLiveCore

/// Publishes the numbers 0, 1, 2, … to several topics in turn with `tiffin_publish`, at a rate, from a thread of its own,
/// over all restarts of Redis, and keeps a record of what must have arrived.
final class NumberedRedisPublisher {
    struct Entry: Sendable {
        let number: Int
        /// Redis has answered with its id; if not, it may be there or not.
        let isCertain: Bool
    }

    struct State: Sendable {
        var published: [[Entry]]
        var mustStop = false
    }

    /// The data of the last event of each topic.
    static let end = "-1"

    private let state: Locked<State>
    private let thread: LoopThread

    init(port: Int, topics: [String], rate: Int) throws {
        let state = Locked(State(published: topics.map { _ in [] }))
        self.state = state
        thread = try LoopThread.start(name: "publisher") {
            var number = 0
            var client: RawClient?
            let batch = max(1, rate / 100)
            let began = Clock.monotonic()
            while true {
                let isLast = state.withLock { $0.mustStop }
                let numbers = isLast ? Array(topics.indices) : Array(number..<(number + batch))
                let commands = numbers.map { (topics[$0 % topics.count], isLast ? Self.end : String($0)) }
                let answered = Self.publish(commands, &client, port)
                if isLast {
                    // The end must be there for certain.
                    guard answered < commands.count else { return }
                    usleep(20_000)
                    continue
                }
                state.withLock { state in
                    for (index, number) in numbers.enumerated() {
                        let entry = Entry(number: number, isCertain: index < answered)
                        state.published[number % topics.count].append(entry)
                    }
                }
                number += batch
                let due = began + Nanoseconds(number) * .second / Nanoseconds(rate)
                let left = due - Clock.monotonic()
                usleep(left > 0 ? UInt32(clamping: left / .microsecond) : (answered < batch ? 5000 : 0))
            }
        }
    }

    /// Ends with a last event in each topic; what was published of each before that, in order.
    func stop() -> [[Entry]] {
        state.withLock { $0.mustStop = true }
        thread.join()
        return state.withLock { $0.published }
    }

    /// How many of the commands were answered with an id, from the first on; the connection is dropped at the first that
    /// is not.
    private static func publish(_ commands: [(topic: String, data: String)], _ client: inout RawClient?, _ port: Int)
        -> Int
    {
        var answered = 0
        do {
            let link = try client ?? RawClient(port: port)
            client = link
            let output = ByteBuffer()
            for command in commands {
                RESPEncoder.append(
                    ["FCALL", "tiffin_publish", "1", "events:" + command.topic, "n", command.data, "1000000"],
                    to: output)
            }
            try link.send(output.array)
            var decoder = RESPDecoder()
            while answered < commands.count {
                if link.pending.isEmpty, try !link.receiveMore("ids") { throw RawClientError.unexpected("the end") }
                let bytes = link.take(link.pending.count)
                try bytes.withUnsafeBytes { bytes in
                    var input = bytes
                    while let reply = try decoder.next(&input) {
                        guard reply.bytes != nil else { throw RawClientError.unexpected("\(reply)") }
                        answered += 1
                    }
                }
            }
        } catch {
            client = nil
        }
        return answered
    }
}
