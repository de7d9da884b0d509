import Glibc

@testable import TiffinLiveCore

/// Publishes the numbers 0, 1, 2, … to a topic, about a thousand a second, from a thread of its own until it is stopped.
final class NumberedPublisher {
    private let isStopping = Locked(false)
    private let thread: LoopThread

    init(adminPort: Int, topic: String, padding: Int = 0) throws {
        let isStopping = isStopping
        let filler = String(repeating: "x", count: padding)
        thread = try LoopThread.start(name: "publisher") {
            guard let client = try? RawClient(port: adminPort) else { return }
            var number = 0
            while !isStopping.withLock({ $0 }) {
                var items: [String] = []
                for _ in 0..<10 {
                    let data = #"{"number":\#(number),"at":\#(Clock.now().wall / .millisecond),"filler":"\#(filler)"}"#
                    items.append(#"{"topic":"\#(topic)","event":"n","data":\#(data)}"#)
                    number += 1
                }
                // A server that drains takes no more: that is the end of the work.
                let response = try? client.post("/publish", body: "[\(items.joined(separator: ","))]")
                guard response?.status == 200 else { return }
                usleep(10_000)
            }
        }
    }

    deinit {
        stop()
    }

    func stop() {
        isStopping.withLock { $0 = true }
        thread.join()
    }

    /// The number and the moment of publishing (wall clock, milliseconds) in the data of one of its events.
    static func read(_ data: JSONValue?) -> (number: Int64, at: Int64)? {
        guard let number = data?["number"]?.numberValue?.int64, let at = data?["at"]?.numberValue?.int64 else {
            return nil
        }
        return (number, at)
    }
}
