import Testing

@testable import TiffinLiveCore

@Suite("ByteWord")
struct ByteWordTests {
    private static func word(filledWith filler: UInt8, holding byte: UInt8, at place: Int) -> ByteWord {
        var bytes = [UInt8](repeating: filler, count: 11)
        bytes[place + 3] = byte
        return bytes.withUnsafeBytes { ByteWord($0, at: 3) }
    }

    @Test(
        "finds every byte at every place and nothing else", arguments: [0x00, 0x21, 0x23, 0x7F, 0x80, 0xFF] as [UInt8])
    func finds(filler: UInt8) {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<8 {
                let word = Self.word(filledWith: filler, holding: byte, at: place)
                for sought in [0x00, 0x22, 0x5C, 0x7F, 0xE2, 0xFF] as [UInt8] {
                    #expect(word.contains(sought) == (sought == filler || sought == byte))
                }
            }
        }
    }

    @Test(
        "finds small bytes at every place and takes no large one for small",
        arguments: [0x20, 0x7F, 0x80, 0xFF] as [UInt8])
    func findsBelow(filler: UInt8) {
        for byte in UInt8.min...UInt8.max {
            for place in 0..<8 {
                let word = Self.word(filledWith: filler, holding: byte, at: place)
                #expect(word.containsByte(below: 0x20) == (byte < 0x20))
            }
        }
    }
}
