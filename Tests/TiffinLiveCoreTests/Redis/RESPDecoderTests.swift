import Testing

@testable import TiffinLiveCore

@Suite("RESP: values of both versions")
struct RESPDecoderTests {
    @Test(
        "each type is read, however it is cut",
        arguments: [
            ("+OK\r\n", .simpleString("OK")),
            ("+\r\n", .simpleString("")),
            (":0\r\n", .integer(0)),
            (":-1\r\n", .integer(-1)),
            (":+12\r\n", .integer(12)),
            (":9223372036854775807\r\n", .integer(.max)),
            (":-9223372036854775808\r\n", .integer(.min)),
            ("$5\r\nhello\r\n", .bulkString("hello")),
            ("$0\r\n\r\n", .bulkString("")),
            ("$-1\r\n", .null),
            ("*-1\r\n", .null),
            ("_\r\n", .null),
            ("*0\r\n", .array([])),
            ("~0\r\n", .set([])),
            ("%0\r\n", .map([])),
            (">0\r\n", .push([])),
            ("#t\r\n", .boolean(true)),
            ("#f\r\n", .boolean(false)),
            (",3.25\r\n", .double(3.25)),
            (",-1e-7\r\n", .double(-1e-7)),
            (",inf\r\n", .double(.infinity)),
            (",-inf\r\n", .double(-.infinity)),
            (
                "(-3492890328409238509324850943850943825024385\r\n",
                .bigNumber(Array("-3492890328409238509324850943850943825024385".utf8))
            ),
            ("=15\r\ntxt:Some string\r\n", .verbatimString(format: Array("txt".utf8), Array("Some string".utf8))),
            ("=4\r\nmkd:\r\n", .verbatimString(format: Array("mkd".utf8), [])),
            ("!21\r\nSYNTAX invalid syntax\r\n", .error("SYNTAX", "SYNTAX invalid syntax")),
        ] as [(String, RESPValue)])
    func types(_ text: String, _ value: RESPValue) {
        #expect(RESPOutcome.of(text) == RESPOutcome([value]))
    }

    @Test("not a number is one")
    func notANumber() throws {
        var decoder = RESPDecoder()
        try Array(",nan\r\n".utf8).withUnsafeBytes { bytes in
            var input = bytes
            guard case .double(let value) = try decoder.next(&input) else {
                Issue.record("no double")
                return
            }
            #expect(value.isNaN)
        }
    }

    @Test("line ends in data are data")
    func lineEndsInData() {
        let text = "$11\r\na\r\n$3\r\nb\r\n\n\r\n"
        #expect(RESPOutcome.of(text) == RESPOutcome([.bulkString("a\r\n$3\r\nb\r\n\n")]))
        let bytes = Array("$4\r\n".utf8) + [0, 0xFF, 13, 10] + [13, 10]
        #expect(RESPOutcome.of(bytes) == RESPOutcome([.bulkString([0, 0xFF, 13, 10])]))
    }

    @Test("two replies in one segment are two, and each comes once")
    func pipelined() {
        let text = "+OK\r\n-ERR no\r\n$-1\r\n:7\r\n*1\r\n+x\r\n>2\r\n$1\r\na\r\n$0\r\n\r\n+END\r\n"
        #expect(
            RESPOutcome.of(text)
                == RESPOutcome([
                    .simpleString("OK"), .error("ERR", "ERR no"), .null, .integer(7), .array([.simpleString("x")]),
                    .push("a", ""), .simpleString("END"),
                ]))
    }

    @Test("aggregates nest, hold nulls and errors, and close in the right order")
    func nesting() {
        let text = "*3\r\n*2\r\n:1\r\n$-1\r\n%2\r\n+a\r\n~1\r\n#t\r\n+b\r\n*0\r\n-WRONGTYPE x\r\n:9\r\n"
        #expect(
            RESPOutcome.of(text)
                == RESPOutcome([
                    .array([
                        .array([.integer(1), .null]),
                        .map([
                            .init(key: .simpleString("a"), value: .set([.boolean(true)])),
                            .init(key: .simpleString("b"), value: .array([])),
                        ]),
                        .error("WRONGTYPE", "WRONGTYPE x"),
                    ]),
                    .integer(9),
                ]))
    }

    @Test("attributes are read over wherever they stand")
    func attributes() {
        let text = "|1\r\n+ttl\r\n*1\r\n:3600\r\n*3\r\n:1\r\n|1\r\n+k\r\n+v\r\n:2\r\n|0\r\n:3\r\n|0\r\n+OK\r\n"
        #expect(
            RESPOutcome.of(text)
                == RESPOutcome([.array([.integer(1), .integer(2), .integer(3)]), .simpleString("OK")]))
    }

    @Test(
        "what has not come whole gives nothing",
        arguments: [
            "+", "+OK", "+OK\r", "$", "$5\r\nhel", "$5\r\nhello", "$5\r\nhello\r", "*1\r\n", "|1\r\n+a\r\n+b\r\n*",
        ])
    func partial(_ text: String) {
        #expect(RESPOutcome.of(text) == RESPOutcome([], isInsideValue: true))
    }

    @Test("the code of an error is its first word in capitals")
    func errorCodes() {
        let cases = [
            ("NOAUTH Authentication required.", "NOAUTH"), ("ERR", "ERR"), ("Error in the script", "ERR"), ("", "ERR"),
            ("oops", "ERR"), ("MY_CODE1 text", "MY_CODE1"), (String(repeating: "A", count: 33) + " x", "ERR"),
        ]
        for (text, code) in cases {
            #expect(RESPOutcome.of("-\(text)\r\n") == RESPOutcome([.error(code, text)]))
        }
    }

    @Test("a map is read by key, in either version")
    func mapKeys() {
        let entries: [RESPValue] = [.bulkString("a"), .integer(1), .bulkString("b"), .null]
        let map = RESPValue.map([
            .init(key: .bulkString("a"), value: .integer(1)), .init(key: .bulkString("b"), value: .null),
        ])
        for value in [map, .array(entries)] {
            #expect(value["a"] == .integer(1))
            #expect(value["b"] == .null)
            #expect(value["c"] == nil)
        }
        #expect(RESPValue.array([.bulkString("a")])["a"] == nil)
        #expect(RESPValue.integer(1)["a"] == nil)
    }
}
