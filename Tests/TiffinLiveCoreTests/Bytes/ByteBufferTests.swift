import Testing

@testable import TiffinLiveCore

@Suite("ByteBuffer")
struct ByteBufferTests {
    @Test("grows while it keeps what it has")
    func grows() {
        let buffer = ByteBuffer(capacity: 1)
        for value in 0..<1000 { buffer.append(UInt8(truncatingIfNeeded: value)) }
        #expect(buffer.array == (0..<1000).map { UInt8(truncatingIfNeeded: $0) })
    }

    @Test("writes decimals", arguments: [0, 7, 10, 99, 100, -1, Int.max, Int.min])
    func decimals(value: Int) {
        let buffer = ByteBuffer()
        buffer.append(decimal: value)
        #expect(String(decoding: buffer.array, as: UTF8.self) == String(value))
    }

    @Test("takes back and overwrites")
    func truncates() {
        let buffer = ByteBuffer()
        buffer.append("hello world")
        buffer.truncate(to: 5)
        Array("HE".utf8).withUnsafeBytes { buffer.overwrite(at: 0, with: $0) }
        #expect(buffer.array == Array("HEllo".utf8))
    }
}
