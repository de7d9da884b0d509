@testable import TiffinLiveCore

/// Request heads, pipelined, and what is read out of them: the same however they are cut; and no request can put a
/// line of its own into the answer to an upgrade.
enum FuzzHTTP {
    struct Outcome: Equatable {
        var requests: [String] = []
        var failure: HTTPError?
        /// How many bytes the heads had.
        var consumed = 0
    }

    static func run(_ bytes: [UInt8]) {
        Chunking.check(bytes) { decode($0, headLimit: 512) }
        Chunking.check(bytes) { decode($0, headLimit: 32 * 1024) }
    }

    private static func decode(_ chunks: [[UInt8]], headLimit: Int) -> Outcome {
        var decoder = HTTPRequestDecoder(headLimit: headLimit)
        var outcome = Outcome()
        for chunk in chunks {
            var start = 0
            while start < chunk.count {
                var consumed = 0
                do throws(HTTPError) {
                    let request = try chunk.withUnsafeBufferPointer { (all) throws(HTTPError) in
                        try decoder.receive(
                            UnsafeRawBufferPointer(UnsafeBufferPointer(rebasing: all[start...])), consumed: &consumed)
                    }
                    check(consumed >= 0 && consumed <= chunk.count - start, "consumed \(consumed)")
                    check(request != nil || consumed == chunk.count - start, "left bytes of a head that is not whole")
                    start += consumed
                    outcome.consumed += consumed
                    guard let request else { continue }
                    outcome.requests.append(describe(request))
                    // Where the body ends is not this target's question.
                    if request.hasBody { return outcome }
                } catch {
                    check((400...599).contains(error.status), "status \(error.status)")
                    outcome.failure = error
                    // How much of a refused head was looked at depends on the cuts.
                    outcome.consumed = 0
                    return outcome
                }
            }
        }
        // So does how much of a head that has not come whole.
        if decoder.isInsideHead { outcome.consumed = 0 }
        return outcome
    }

    private static func describe(_ request: HTTPRequest) -> String {
        check(request.contentLength >= 0, "negative length")
        for (name, value) in request.fields.all {
            check(!name.isEmpty && name.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F }, "field name \(name)")
            check(value.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F || $0 == 0x09 }, "field value \(value)")
        }
        for segment in request.target.segments ?? [] {
            check(!segment.isEmpty && segment != "." && segment != ".." && !segment.contains("/"), "segment \(segment)")
        }
        upgrade(request)
        return "\(request.method) \(request.target) \(request.version) \(request.fields.all) \(request.contentLength) "
            + "\(request.isChunked) \(request.keepsAlive)"
    }

    private static func upgrade(_ request: HTTPRequest) {
        let buffer = ByteBuffer()
        let date = HTTPDate(wall: 0)
        do throws(HTTPError) {
            let handshake = try OpeningHandshake.read(request, supportedSubprotocols: ["tiffin.v1"])
            handshake.appendResponse(to: buffer, date: date)
            let lines = buffer.bytes.split(separator: 0x0A, omittingEmptySubsequences: false).count
            check(lines == (handshake.subprotocol == nil ? 7 : 8), "\(lines) lines in a 101")
        } catch {
            OpeningHandshake.refusal(error).append(to: buffer, date: date, closes: true, version: request.version)
        }
    }
}
