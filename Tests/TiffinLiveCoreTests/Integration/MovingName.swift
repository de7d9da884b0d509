import Glibc

@testable import TiffinLiveCore

/// What the name points to, and how often it was asked for.
final class MovingName: Sendable {
    private let state = Locked<(answer: [SocketAddress]?, asked: Int, hangs: Bool)>((nil, 0, false))

    var asked: Int { state.withLock { $0.asked } }

    /// nil: there is no such name.
    func point(to ports: [Int]?) {
        state.withLock { state in
            state.answer = ports.map { $0.compactMap { SocketAddress("127.0.0.1:\($0)") } }
        }
    }

    func hang(_ hangs: Bool) { state.withLock { $0.hangs = hangs } }

    @Sendable func resolve(host: String, port: UInt16) -> Result<[SocketAddress], NameResolution.Failure> {
        let (answer, hangs) = state.withLock { state in
            state.asked += 1
            return (state.answer, state.hangs)
        }
        while hangs, state.withLock({ $0.hangs }) { usleep(2000) }
        guard host == "redis.example", port == 6380, let answer else {
            return .failure(NameResolution.Failure(text: "no such name"))
        }
        return .success(answer)
    }
}
