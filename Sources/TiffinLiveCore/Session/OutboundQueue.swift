/// Output that the kernel did not take, in order, and where its messages begin. Exists only while there is any.
///
/// The storage always starts at the beginning of a message, so that the messages behind the one that is half sent can be
/// taken out again: for a peer that is too slow, or one that lost its right to them.
final class OutboundQueue {
    /// How the messages in the queue are framed, which is what finds their ends.
    enum Framing {
        case webSocket
        case chunked
        /// An event stream to an HTTP/1.0 client, ended by the connection's end: blocks end with an empty line.
        case eventStream
    }

    private let storage = ByteBuffer(capacity: 1024)
    /// How much of `storage` the kernel has.
    private var sent: Int

    /// Bytes that still have to go out.
    var count: Int { storage.count - sent }
    var isEmpty: Bool { count == 0 }

    /// What to send next. Valid until the next mutation.
    var unsent: UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: storage.bytes[sent...]) }

    /// Takes over a whole run of messages of which `sentBytes` are gone already.
    init(_ bytes: UnsafeRawBufferPointer, sentBytes: Int) {
        storage.append(bytes)
        sent = sentBytes
    }

    func append(_ bytes: UnsafeRawBufferPointer) {
        storage.append(bytes)
    }

    func removeSent(_ count: Int, framing: Framing) {
        sent += count
        if sent == storage.count {
            storage.removeAll()
            sent = 0
        } else if sent > 64 * 1024 && sent > storage.count / 2 {
            compact(framing: framing)
        }
    }

    /// Drops the messages of which nothing was sent, but for the last `tail` bytes (a close). What remains is the rest of
    /// one message at most, and those bytes.
    func discardUnstarted(framing: Framing, keepingLast tail: Int) {
        let (start, end) = message(at: sent, framing: framing)
        let keep = start == sent ? sent : end
        guard keep < storage.count - tail else { return }
        let last = Array(storage.bytes[(storage.count - tail)...])
        storage.truncate(to: keep)
        storage.append(last)
    }

    private func compact(framing: Framing) {
        let (start, _) = message(at: sent, framing: framing)
        let rest = Array(storage.bytes[start...])
        storage.removeAll()
        storage.append(rest)
        sent -= start
    }

    /// The beginning and end of the message that holds `offset`, or `offset` twice when one begins there.
    private func message(at offset: Int, framing: Framing) -> (start: Int, end: Int) {
        var start = 0
        while start < offset {
            let end =
                start + Self.messageLength(UnsafeRawBufferPointer(rebasing: storage.bytes[start...]), framing: framing)
            if end > offset { return (start, end) }
            start = end
        }
        return (offset, offset)
    }

    /// The length of the message at the front of `bytes`, which we wrote ourselves, so its framing is sound; what does
    /// not look so counts as one message.
    static func messageLength(_ bytes: UnsafeRawBufferPointer, framing: Framing) -> Int {
        if bytes.count >= 5 && bytes[0] == UInt8(ascii: "H") && bytes[1] == UInt8(ascii: "T") {
            // No frame of ours, chunk size or event stream line begins with "HT": the response head is in front.
            return end(of: [13, 10, 13, 10], in: bytes) ?? bytes.count
        }
        switch framing {
        case .webSocket: return frameLength(bytes)
        case .chunked: return chunkLength(bytes)
        case .eventStream: return end(of: [10, 10], in: bytes) ?? bytes.count
        }
    }

    private static func frameLength(_ bytes: UnsafeRawBufferPointer) -> Int {
        guard bytes.count >= 2 else { return bytes.count }
        let short = Int(bytes[1] & 0x7F)
        let lengthBytes = short == 127 ? 8 : short == 126 ? 2 : 0
        guard bytes.count >= 2 + lengthBytes else { return bytes.count }
        var length = lengthBytes == 0 ? short : 0
        for index in 0..<lengthBytes { length = length << 8 | Int(bytes[2 + index]) }
        return min(bytes.count, 2 + lengthBytes + length)
    }

    private static func chunkLength(_ bytes: UnsafeRawBufferPointer) -> Int {
        var length = 0
        var index = 0
        while index < min(bytes.count, 16), let digit = ASCII.hexValue(bytes[index]) {
            length = length << 4 | Int(digit)
            index += 1
        }
        // Size line, data, and the line end behind the data (RFC 9112 section 7.1).
        return min(bytes.count, index + 2 + length + 2)
    }

    private static func end(of mark: [UInt8], in bytes: UnsafeRawBufferPointer) -> Int? {
        var index = 0
        while index + mark.count <= bytes.count {
            var same = 0
            while same < mark.count && bytes[index + same] == mark[same] { same += 1 }
            if same == mark.count { return index + same }
            index += 1
        }
        return nil
    }
}
