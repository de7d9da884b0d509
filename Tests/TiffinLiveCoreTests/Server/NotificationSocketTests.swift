import Testing

@testable import TiffinLiveCore

@Suite("The notification socket")
struct NotificationSocketTests {
    @Test("a message arrives as one datagram", arguments: NotificationReceiver.Form.allCases)
    func arrives(form: NotificationReceiver.Form) throws {
        let receiver = try NotificationReceiver(form)
        let socket = try #require(NotificationSocket(receiver.address))
        socket.send(["READY=1", "STATUS=Serving 0 connections"])
        #expect(receiver.next() == ["READY=1", "STATUS=Serving 0 connections"])
    }

    @Test("what the receiver has no room for waits, in order, and blocks nobody")
    func waits() throws {
        let receiver = try NotificationReceiver()
        let socket = try #require(NotificationSocket(receiver.address))
        // The kernel keeps some (net.unix.max_dgram_qlen), the socket sixteen; the oldest of the others are given up.
        for number in 0..<1000 { socket.send(["STATUS=\(number)"]) }
        var numbers: [Int] = []
        while let message = receiver.next(withinMilliseconds: 0) {
            numbers += message.compactMap { Int($0.dropFirst("STATUS=".utf8.count)) }
            socket.flush()
        }
        #expect(numbers == numbers.sorted())
        #expect(numbers.first == 0)
        #expect(numbers.suffix(16) == Array(984..<1000)[...])
    }

    @Test("a receiver that is gone is no harm")
    func gone() throws {
        var receiver: NotificationReceiver? = try NotificationReceiver()
        let socket = try #require(NotificationSocket(receiver?.address ?? ""))
        receiver = nil
        for _ in 0..<100 { socket.send(["WATCHDOG=1"]) }
        #expect(NotificationSocket("vsock:1:2") == nil)
    }
}
