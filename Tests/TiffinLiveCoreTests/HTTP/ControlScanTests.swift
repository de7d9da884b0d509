import Testing

@testable import TiffinLiveCore

@Suite("Search for control bytes")
struct ControlScanTests {
    @Test("every byte value is told right at every place of a word")
    func everyByteEverywhere() {
        for value in UInt8.min...UInt8.max {
            for place in 0..<19 {
                // Neighbours from 0x80 on, and just over the bounds, are where a borrow could mislead.
                for filler: UInt8 in [0x20, 0x7E, 0x80, 0xFF] {
                    let buffer = ByteBuffer()
                    buffer.append([UInt8](repeating: filler, count: 19))
                    withUnsafeBytes(of: value) { buffer.overwrite(at: place, with: $0) }
                    let isControl = value < 0x20 || value == 0x7F
                    #expect(ControlScan.first(in: buffer.bytes, from: 0) == (isControl ? place : 19))
                }
            }
        }
    }

    @Test("the search begins where it is told to")
    func start() {
        let buffer = ByteBuffer()
        buffer.append([10, 65, 10, 65, 65, 65, 65, 65, 65, 65, 65, 13])
        #expect(ControlScan.first(in: buffer.bytes, from: 0) == 0)
        #expect(ControlScan.first(in: buffer.bytes, from: 1) == 2)
        #expect(ControlScan.first(in: buffer.bytes, from: 3) == 11)
        #expect(ControlScan.first(in: buffer.bytes, from: 12) == 12)
    }

    @Test("a set of bytes has its members and no others")
    func byteSets() {
        let members = Set("!#$%&'*+-.^_`|~".utf8)
        for byte in UInt8.min...UInt8.max {
            let isToken = members.contains(byte) || ASCII.isDigit(byte) || ASCII.isLetter(byte)
            #expect(ByteSet.token.contains(byte) == isToken)
        }
    }
}
