import Testing

@testable import TiffinLiveCore

@Suite("RFC 9112 §3.2: request target")
struct RequestTargetTests {
    private func read(_ text: String, isOptions: Bool = false) throws(HTTPError) -> RequestTarget {
        let buffer = ByteBuffer()
        buffer.append(text.unicodeScalars.map { UInt8(truncatingIfNeeded: $0.value) })
        return try RequestTarget.read(buffer.bytes, isOptions: isOptions)
    }

    @Test(
        "a path is cut into its segments",
        arguments: [
            ("/", []), ("/ws", ["ws"]), ("/orders/123/events", ["orders", "123", "events"]),
            ("/a-b_c.d~e", ["a-b_c.d~e"]), ("/ws;a=b", ["ws;a=b"]), ("/%77s", ["ws"]), ("/caf%C3%A9", ["caf\u{E9}"]),
            ("/a%20b", ["a b"]), ("/a+b", ["a+b"]), ("/...", ["..."]), ("/a/.b", ["a", ".b"]),
            ("/%252e%252e/ws", ["%2e%2e", "ws"]), ("/a:b@c!$&'()*,=", ["a:b@c!$&'()*,="]), ("/%5c", ["\\"]),
        ] as [(String, [String])])
    func segments(_ path: String, _ segments: [String]) throws {
        let target = try read(path)
        #expect(target.segments == segments)
        #expect(target.path == path)
        #expect(target.query.isEmpty)
    }

    @Test(
        "a path that no route is written like has no segments",
        arguments: [
            "/ws%zz", "/ws%", "/ws%4", "/ws%00", "/ws%2f", "/ws%2F", "/ws%0d%0aX:1", "/%c0%ae%c0%ae/ws", "/x/../ws",
            "/x/%2e%2e/ws", "/x/%2E./ws", "/./ws", "/%2e/ws", "//ws", "/ws/", "/ws//x", "/../../etc/passwd",
            "/%2e%2e/%2e%2e/etc/passwd", "/\"<>", "/..\\x", "/a|b", "/a^b", "/a`b", "/{a}", "/a[b]", "//", "/%ff",
            "/%ed%a0%80", "/ws%7f", "/ws%09", "/" + String(repeating: "a/", count: 40) + "b",
        ])
    func noSegments(_ path: String) throws {
        #expect(try read(path).segments == nil)
    }

    @Test(
        "what is no target at all is refused with 400",
        arguments: [
            "", "/ws#x", "#", "/ws x", "*", "localhost:8080", "ws", "/\u{E9}", "/ws\u{0}", "/ws\u{1}", "/ws\u{7F}",
            "ftp://h/ws", "http:///ws", "http://", "http:/ws", "http://u@h/ws", "http://h:x/ws", "http://[::1/ws",
            "http://h h/ws", "**", "?x", "/ws?a=%zz", "/ws?%", "/ws?a=%ff", "/ws?a#b", "/ws?\u{E9}", "://h/",
        ])
    func refused(_ target: String) {
        #expect { try read(target) } throws: { ($0 as? HTTPError)?.status == 400 }
    }

    @Test(
        "absolute-form is read like origin-form",
        arguments: [
            ("http://localhost:8080/ws?a=1", ["ws"]), ("HTTPS://other.example/ws?a=1", ["ws"]),
            ("ws://[::1]:80/ws?a=1", ["ws"]), ("wss://h/ws?a=1", ["ws"]), ("http://h?a=1", []), ("http://h/?a=1", []),
        ] as [(String, [String])])
    func absoluteForm(_ text: String, _ segments: [String]) throws {
        let target = try read(text)
        #expect(target.segments == segments)
        #expect(target.values(ofQuery: "a") == ["1"])
        #expect(try read("http://h") == RequestTarget(path: "/", segments: [], query: []))
    }

    @Test("an asterisk is for OPTIONS and is no path of any route")
    func asterisk() throws {
        #expect(try read("*", isOptions: true) == RequestTarget(path: "*", segments: nil, query: []))
    }

    @Test(
        "names and values of the query are decoded once, a plus stays a plus",
        arguments: [
            ("a=1&b=2", [("a", "1"), ("b", "2")]), ("a=1&a=2", [("a", "1"), ("a", "2")]), ("a", [("a", "")]),
            ("a=", [("a", "")]), ("=a", [("", "a")]), ("a=b=c", [("a", "b=c")]), ("a=x+y", [("a", "x+y")]),
            ("a=%252B", [("a", "%2B")]), ("%61=%26%3D", [("a", "&=")]), ("", []), ("&&", []), ("&a=1&", [("a", "1")]),
            ("t=%f0%9f%98%80", [("t", "\u{1F600}")]), ("t=%00", [("t", "\u{0}")]), ("TICKET=x", [("TICKET", "x")]),
            ("ticket[]=x", [("ticket[]", "x")]), ("t=../../x?y", [("t", "../../x?y")]), ("t={}|^", [("t", "{}|^")]),
        ] as [(String, [(String, String)])])
    func query(_ query: String, _ items: [(String, String)]) throws {
        let expected = items.map { RequestTarget.QueryItem(name: $0.0, value: $0.1) }
        #expect(try read("/ws?" + query).query == expected)
        #expect(try read("/ws?" + query).segments == ["ws"])
        #expect(try read("http://h?" + query).query == expected)
    }

    @Test("every value of a name is given, by its exact name")
    func values() throws {
        let target = try read("/ws?ticket=a&Ticket=b&ticket=c")
        #expect(target.values(ofQuery: "ticket") == ["a", "c"])
        #expect(target.values(ofQuery: "nothing").isEmpty)
    }

    @Test("the number of query items is bounded")
    func manyItems() throws {
        let most = String(repeating: "a&", count: RequestTarget.maximumQueryItems)
        #expect(try read("/ws?" + most).query.count == RequestTarget.maximumQueryItems)
        #expect { try read("/ws?" + most + "a") } throws: { ($0 as? HTTPError)?.status == 400 }
    }

    @Test("no bytes whatever make the reader trap, and what it takes has a path")
    func randomTargets() throws {
        var random = SeededRandom(seed: 7)
        let alphabet = Array("/?&=%.:#*[]@2fFeE0 \u{7F}http".utf8) + [0, 0xC0, 0xE9]
        for _ in 0..<5000 {
            let buffer = ByteBuffer()
            for _ in 0..<Int.random(in: 0...24, using: &random) {
                buffer.append(alphabet.randomElement(using: &random) ?? 0)
            }
            guard let target = try? RequestTarget.read(buffer.bytes, isOptions: false) else { continue }
            #expect(target.path.utf8.first == ASCII.slash)
            for segment in target.segments ?? [] {
                #expect(!segment.isEmpty && segment != "." && segment != ".." && !segment.utf8.contains(ASCII.slash))
            }
        }
    }
}
