import Testing

@testable import TiffinLiveCore

@Suite("Event ids")
struct EventIDTests {
    @Test(
        "reads the canonical form and writes it again",
        arguments: ["0-0", "1764500000000-0", "1-10", "18446744073709551615-18446744073709551615"])
    func roundTrip(text: String) throws {
        let id = try #require(EventID(text))
        #expect(id.description == text)
        let buffer = ByteBuffer()
        id.append(to: buffer)
        #expect(String(decoding: buffer.array, as: UTF8.self) == text)
    }

    @Test(
        "refuses every other spelling",
        arguments: [
            "", "-", "1", "1-", "-1", "1-2-3", "01-0", "0-00", "+1-0", "1-+0", " 1-0", "1-0 ", "1-0\n", "1_0-0", "a-0",
            "18446744073709551616-0", "0-18446744073709551616", "99999999999999999999-0", "٣-0", "1‐0", "1-*", "$",
            "1.5-0",
            "000000000000000000000000000000000000000000-0",
        ])
    func refuses(text: String) {
        #expect(EventID(text) == nil)
    }

    @Test("orders by time, then by sequence, as numbers")
    func order() throws {
        let texts = ["0-0", "0-9", "0-10", "9-0", "10-0", "10-1"]
        let ids = texts.compactMap { EventID($0) }
        #expect(ids.sorted().map(\.description) == texts)
        #expect(try #require(EventID("9-99")) < #require(EventID("10-0")))
        #expect(!(ids[0] < ids[0]))
    }

    @Test("joins the positions of several topics and reads them back")
    func positions() {
        let ids = ["1-0", "2-5", "18446744073709551615-1"].compactMap { EventID($0) }
        let buffer = ByteBuffer()
        EventPositions.append(ids, to: buffer)
        let text = String(decoding: buffer.array, as: UTF8.self)
        #expect(text == "1-0,2-5,18446744073709551615-1")
        #expect(EventPositions.read(text, count: 3) == ids)
        #expect(EventPositions.read("7-1", count: 1) == [EventID(milliseconds: 7, sequence: 1)])
    }

    @Test(
        "refuses positions of another count or shape",
        arguments: ["", "1-0", "1-0,", ",1-0", "1-0,2-0,3-0", "1-0, 2-0", "1-0;2-0", "1-0,x", "1-0,,2-0"])
    func badPositions(text: String) {
        #expect(EventPositions.read(text, count: 2) == nil)
    }

    @Test("refuses positions longer than 128 bytes, and a count of none")
    func longPositions() {
        let long = Array(repeating: "18446744073709551615-18446744073709551615", count: 4).joined(separator: ",")
        #expect(EventPositions.read(long, count: 4) == nil)
        #expect(EventPositions.read("", count: 0) == nil)
    }

    @Test("positions of exactly 128 bytes are read, and with one digit more they are not")
    func longestPositions() {
        let greatest = "18446744073709551615-18446744073709551615"
        let fitting = "\(greatest),\(greatest),\(greatest.dropLast()),0-0"
        #expect(fitting.utf8.count == 128)
        #expect(EventPositions.read(fitting, count: 4)?.last == EventID(milliseconds: 0, sequence: 0))
        #expect(EventPositions.read(fitting + "0", count: 4) == nil)
        #expect(EventPositions.read("\(greatest),\(greatest),\(greatest.dropLast()),0-10", count: 4) == nil)
    }
}
