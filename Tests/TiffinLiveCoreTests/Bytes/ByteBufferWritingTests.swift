import Testing

@testable import TiffinLiveCore

@Suite("ByteBuffer: every way to write")
struct ByteBufferWritingTests {
    @Test("all kinds of input are appended behind each other")
    func kinds() {
        let buffer = ByteBuffer(capacity: 0)
        #expect(buffer.isEmpty)
        buffer.append(UInt8(ascii: "a"))
        buffer.append("b" as StaticString)
        buffer.append("c\u{E9}" as String)
        buffer.append([0x64, 0x65])
        buffer.append([0x66, 0x67, 0x68][1...])
        ([0x69, 0x6A] as [UInt8]).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            buffer.append(UnsafeRawBufferPointer(rebasing: bytes[..<1]))
        }
        #expect(buffer.array == Array("abc\u{E9}degh".utf8) + [0x69])
        #expect(!buffer.isEmpty)
        #expect(buffer.count == buffer.array.count)
    }

    @Test("nothing is appended by nothing")
    func nothing() {
        let buffer = ByteBuffer()
        buffer.append("" as StaticString)
        buffer.append("" as String)
        buffer.append([UInt8]())
        buffer.append([UInt8]()[...])
        buffer.append(UnsafeRawBufferPointer(start: nil, count: 0))
        buffer.append(atMost: 10) { _ in 0 }
        #expect(buffer.isEmpty)
        #expect(buffer.bytes.isEmpty)
    }

    @Test("grows by doubling, only when it must, and never shrinks by itself")
    func capacity() {
        #expect(ByteBuffer(capacity: 0).capacity == 16)
        #expect(ByteBuffer(capacity: 15).capacity == 16)
        #expect(ByteBuffer(capacity: 17).capacity == 17)
        let buffer = ByteBuffer(capacity: 16)
        buffer.append([UInt8](repeating: 1, count: 16))
        #expect(buffer.capacity == 16)
        buffer.append(2)
        #expect(buffer.capacity == 32)
        buffer.reserve(15)
        #expect(buffer.capacity == 32)
        buffer.reserve(16)
        #expect(buffer.capacity == 64)
        buffer.reserve(1000)
        #expect(buffer.capacity == 1024)
        buffer.removeAll()
        #expect(buffer.capacity == 1024 && buffer.isEmpty)
        #expect(buffer.array.isEmpty)
    }

    @Test("keeps its bytes whenever it grows", arguments: [1, 15, 16, 17, 31, 32, 33, 255, 256, 257])
    func growth(_ piece: Int) {
        let buffer = ByteBuffer(capacity: 16)
        var expected: [UInt8] = []
        for round in 0..<20 {
            let bytes = (0..<piece).map { UInt8(truncatingIfNeeded: round * 31 + $0) }
            buffer.append(bytes)
            expected += bytes
            #expect(buffer.count == expected.count)
        }
        #expect(buffer.array == expected)
    }

    @Test("decimals at every power of ten, just below and just above")
    func powersOfTen() {
        var power: UInt64 = 1
        while true {
            for value in [power - 1, power, power &+ 1] {
                let buffer = ByteBuffer(capacity: 16)
                buffer.append(decimal: value)
                #expect(buffer.array == Array(String(value).utf8))
            }
            let (next, overflow) = power.multipliedReportingOverflow(by: 10)
            if overflow { break }
            power = next
        }
        let buffer = ByteBuffer()
        buffer.append(decimal: UInt64.max)
        #expect(buffer.array == Array("18446744073709551615".utf8))
    }

    @Test("negative decimals", arguments: [-1, -9, -10, -99, -100, -1_000_000, Int.min + 1, Int.min])
    func negative(_ value: Int) {
        let buffer = ByteBuffer(capacity: 16)
        buffer.append("x" as StaticString)
        buffer.append(decimal: value)
        #expect(buffer.array == Array("x\(value)".utf8))
    }

    @Test("a decimal finds its room in a full buffer", arguments: 0..<20)
    func decimalWhenFull(_ free: Int) {
        let buffer = ByteBuffer(capacity: 32)
        buffer.append([UInt8](repeating: 0x2E, count: 32 - free))
        buffer.append(decimal: UInt64.max)
        #expect(buffer.array.suffix(20) == Array("18446744073709551615".utf8)[...])
        #expect(buffer.count == 52 - free)
    }

    @Test("a writer gets the room that was promised and only what it wrote counts")
    func atMost() {
        let buffer = ByteBuffer(capacity: 16)
        buffer.append("head" as StaticString)
        buffer.append(atMost: 100) { room in
            #expect(room.count == 100)
            room.copyBytes(from: [1, 2, 3])
            return 3
        }
        #expect(buffer.array == Array("head".utf8) + [1, 2, 3])
        buffer.append(atMost: 2) { room in
            room.copyBytes(from: [4, 5])
            return 2
        }
        #expect(buffer.array.suffix(2) == [4, 5])
    }

    @Test("overwriting changes the bytes in its place and no others", arguments: 0...6)
    func overwrite(_ offset: Int) {
        let buffer = ByteBuffer()
        buffer.append("abcdefgh" as StaticString)
        ([0x58, 0x59] as [UInt8]).withUnsafeBytes { (bytes: UnsafeRawBufferPointer) in
            buffer.overwrite(at: offset, with: UnsafeRawBufferPointer(rebasing: bytes[..<1]))
        }
        var expected = Array("abcdefgh".utf8)
        expected[offset] = 0x58
        #expect(buffer.array == expected)
        buffer.overwrite(at: 8, with: UnsafeRawBufferPointer(start: nil, count: 0))
        #expect(buffer.array == expected)
    }

    @Test("truncating takes back what was written last", arguments: 0...5)
    func truncate(_ count: Int) {
        let buffer = ByteBuffer()
        buffer.append("abcde" as StaticString)
        buffer.truncate(to: count)
        #expect(buffer.array == Array("abcde".utf8.prefix(count)))
        buffer.append("!" as StaticString)
        #expect(buffer.array == Array("abcde".utf8.prefix(count)) + [0x21])
    }
}

@Suite("Moments and spans")
struct NanosecondsTests {
    @Test(
        "a sum stops at the ends of the range",
        arguments: [
            (0, 0, 0),
            (1, 2, 3),
            (-1, 1, 0),
            (.max, 0, .max),
            (.max, 1, .max),
            (.max, .max, .max),
            (.max, -1, .max - 1),
            (.min, 0, .min),
            (.min, -1, .min),
            (.min, .min, .min),
            (.min, 1, .min + 1),
            (.max, .min, -1),
            (.max - 5, 5, .max),
            (.max - 5, 6, .max),
            (.min + 5, -5, .min),
            (.min + 5, -6, .min),
            (1, .max, .max),
            (-1, .min, .min),
        ] as [(Nanoseconds, Nanoseconds, Nanoseconds)])
    func clamped(_ left: Nanoseconds, _ right: Nanoseconds, _ sum: Nanoseconds) {
        #expect(left.clampedAdding(right) == sum)
        #expect(right.clampedAdding(left) == sum)
    }

    @Test(
        "a product stops at the ends of the range",
        arguments: [
            (0, 5, 0), (3, 1_000_000, 3_000_000), (-3, 1000, -3000), (.max, 1, .max), (.max, 2, .max), (.min, 1, .min),
            (.min, 2, .min), (.max / 1000, 1000, .max - 807), (.max / 1000 + 1, 1000, .max),
            (.min / 1000 - 1, 1000, .min),
        ] as [(Nanoseconds, Nanoseconds, Nanoseconds)])
    func clampedProduct(_ factor: Nanoseconds, _ unit: Nanoseconds, _ product: Nanoseconds) {
        #expect(factor.clampedMultiplying(by: unit) == product)
    }

    @Test("the units are what they are called")
    func units() {
        #expect(Nanoseconds.second == 1000 * .millisecond)
        #expect(Nanoseconds.millisecond == 1000 * .microsecond)
        #expect(Nanoseconds.microsecond == 1000)
    }

    @Test("two readings are one when both clocks agree")
    func equality() {
        let moment = Moment(monotonic: 1, wall: 2)
        #expect(moment == Moment(monotonic: 1, wall: 2))
        #expect(moment != Moment(monotonic: 2, wall: 2))
        #expect(moment != Moment(monotonic: 1, wall: 1))
    }
}
