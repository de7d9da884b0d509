import Glibc

@testable import TiffinLiveCore

/// Reads the numbers of a topic, from a thread of its own, until the last one: comes to one of several servers, stays for
/// a while, drops off without a word, and comes back to another with the last id it has seen.
final class RoamingClient {
    struct Result: Sendable {
        /// What was seen in one go; a new run begins with every reset.
        var runs: [[Int]] = [[]]
        var connections = 0
        var refusals = 0
        var hasEnded = false
        /// What no client should ever see.
        var fault: String?
    }

    private let result = Locked(Result())
    private let mustStop = Locked(false)
    private let thread: LoopThread

    /// `stays`: never leaves by itself.
    init(ports: [Int], path: String, token: String, seed: UInt64, stays: Bool, isWebSocket: Bool) throws {
        let result = result
        let mustStop = mustStop
        thread = try LoopThread.start(name: "client") {
            var random = SeededRandom(seed: seed)
            var visit = Visit(path: path, token: token, isWebSocket: isWebSocket)
            while !mustStop.withLock({ $0 }), !visit.result.hasEnded, visit.result.fault == nil {
                let span = stays ? 3600 * Nanoseconds.second : Nanoseconds.random(in: 0...(2 * .second), using: &random)
                visit.make(port: ports[Int.random(in: 0..<ports.count, using: &random)], for: span, mustStop)
                let made = visit.result
                result.withLock { $0 = made }
                usleep(UInt32.random(in: 1000...100_000, using: &random))
            }
        }
    }

    /// What it saw; nil when it did not come to the end in time.
    func finish(withinSeconds limit: Int) -> Result {
        for _ in 0..<(limit * 100) {
            let result = result.withLock { $0 }
            if result.hasEnded || result.fault != nil { break }
            usleep(10_000)
        }
        mustStop.withLock { $0 = true }
        thread.join()
        return result.withLock { $0 }
    }

    private struct Visit {
        let path: String
        let token: String
        let isWebSocket: Bool
        var lastID: String?
        var result = Result()

        mutating func make(port: Int, for span: Nanoseconds, _ mustStop: Locked<Bool>) {
            let until = Clock.monotonic() + span
            do {
                let client = try RawClient(port: port)
                defer { client.reset() }
                client.timeoutMilliseconds = 500
                let stream = isWebSocket ? nil : try openStream(client)
                if stream == nil { try openSocket(client) }
                result.connections += 1
                while Clock.monotonic() < until, !mustStop.withLock({ $0 }), !result.hasEnded, result.fault == nil {
                    do {
                        if let stream {
                            guard let event = try stream.nextEvent() else { return }
                            take(event)
                        } else {
                            take(try JSONReader.read(Array(try client.receiveText().utf8)))
                        }
                    } catch RawClientError.timedOut {
                        continue
                    }
                }
            } catch {
                result.refusals += 1
            }
        }

        private func openStream(_ client: RawClient) throws -> RawEventStream {
            client.timeoutMilliseconds = 10_000
            defer { client.timeoutMilliseconds = 500 }
            return try client.openEventStream(path, token: token, lastEventID: lastID)
        }

        private func openSocket(_ client: RawClient) throws {
            client.timeoutMilliseconds = 10_000
            defer { client.timeoutMilliseconds = 500 }
            try client.openWebSocket(path + (lastID.map { "?last_event_id=\($0)" } ?? ""), token: token)
        }

        private mutating func take(_ event: RawEvent) {
            if let id = event.id { lastID = id }
            switch event.event {
            case "welcome": return
            case "reset": result.runs.append([])
            case "n": take(event.data)
            default: result.fault = "\(event)"
            }
        }

        private mutating func take(_ message: JSONValue) {
            switch message["type"]?.stringValue {
            case "welcome": return
            case "reset": result.runs.append([])
            case "event":
                lastID = message["id"]?.stringValue
                take(message["data"]?.numberValue?.text)
            default: result.fault = "\(message)"
            }
        }

        private mutating func take(_ data: String?) {
            guard let number = data.flatMap({ Int($0) }) else {
                result.fault = "data \(data ?? "")"
                return
            }
            if number == -1 { result.hasEnded = true } else { result.runs[result.runs.count - 1].append(number) }
        }
    }
}
