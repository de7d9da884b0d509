import Testing

@testable import TiffinLiveCore

/// The small server of the demo's page.
@Suite("A page server")
struct PageServerTests {
    private final class Running {
        let server: PageServer
        let ports: [Int]

        init() throws {
            let any = try #require(SocketAddress("127.0.0.1:0"))
            server = try PageServer(binding: [any, any])
            ports = server.addresses.compactMap(\.port).map(Int.init)
            try server.start { request, body in
                .text(200, "\(request.method) \(request.target.path) \(String(decoding: body, as: UTF8.self))")
            }
        }

        deinit {
            server.stop()
        }
    }

    @Test("requests are answered one after another on a connection, on each address")
    func requests() throws {
        let running = try Running()
        #expect(Set(running.ports).count == 2)
        for port in running.ports {
            let client = try RawClient(port: port)
            #expect(try client.get("/a").text == "GET /a ")
            #expect(try client.post("/b", body: "text").text == "POST /b text")
            #expect(try client.request("HEAD", "/c").text == "")
        }
    }

    @Test("a connection that says nothing keeps nobody waiting")
    func idle() throws {
        let running = try Running()
        let idle = try (0..<10).map { _ in try RawClient(port: running.ports[0]) }
        #expect(try RawClient(port: running.ports[0]).get("/").status == 200)
        idle.forEach { $0.close() }
    }

    @Test("what is too large or malformed is refused")
    func refused() throws {
        let running = try Running()
        let body = String(repeating: "b", count: (16 << 10) + 1)
        #expect(try RawClient(port: running.ports[0]).post("/", body: body).status == 413)
        let client = try RawClient(port: running.ports[0])
        try client.send("nonsense\r\n\r\n")
        #expect(try client.receiveResponse().status == 400)
    }

    @Test("a port that is taken is an error, and a stop ends what is open")
    func ends() throws {
        let running = try Running()
        #expect(throws: SystemError.self) { try PageServer(binding: [running.server.addresses[0]]) }
        let client = try RawClient(port: running.ports[0])
        #expect(try client.get("/").status == 200)
        running.server.stop()
        #expect(try client.expectEnd() == .finished)
        #expect(throws: RawClientError.self) { try RawClient(port: running.ports[0]).get("/") }
    }
}
