import Glibc
import Testing

@testable import TiffinLiveCore

/// A process that runs out of descriptors (contract section 5: 503 when full), seen from outside.
@Suite("Out of descriptors", .enabled(if: ServerProcess.isBuilt))
struct ResourceDescriptorTests {
    @Test(
        "who came too many is told 503, the open ones are served, the processor idles, and released places are given anew"
    )
    func exhausted() throws {
        let server = try ServerProcess(descriptorLimit: 64)
        let first = try server.rider("first")
        let publisher = try RawClient(port: server.adminPort)
        #expect(try publisher.get("/healthz").status == 200)
        var held: [RawClient] = []
        var refused = 0
        for index in 0..<120 {
            let client = try server.connect()
            try client.send(
                RawClient.upgradeRequest(
                    "/rider/socket", headers: [("Authorization", "Bearer \(server.token("u\(index)"))")]))
            let response = try client.receiveUpgradeResponse()
            if response.status == 101 {
                held.append(client)
            } else {
                #expect(response.status == 503)
                #expect(response.only("Retry-After") != nil)
                refused += 1
            }
            // Past the limit each takes a pause of the listener; a few are enough.
            if refused == 6 { break }
        }
        #expect((20..<64).contains(held.count))
        #expect(refused == 6)

        // A crowd that waits in the backlog, more than is refused in the time of the measurement.
        let crowd = try (0..<300).map { _ in try server.connect() }
        #expect(try server.processorShare(overMilliseconds: 1500) < 0.5)
        let event = #"{"topic":"riders:first","data":"still served"}"#
        #expect(try publisher.post("/publish", body: event).status == 200)
        #expect(try first.receiveText().contains("still served"))
        for client in crowd { client.close() }
        for client in held.dropFirst(5) { client.reset() }
        try eventually("a place") {
            let client = try server.connect()
            let headers = [("Authorization", "Bearer \(server.token("later"))")]
            return (try? client.upgrade("/rider/socket", headers: headers).status) == 101
        }
        try server.publish("riders:u0", #""still there""#)
        _ = try held[0].receiveText(containing: "still there")
        // The shortage is told of, but not for every connection that it met.
        #expect(try (1...10).contains(server.logObjects("descriptors_exhausted").count))
        server.signal(SIGTERM)
        #expect(server.waitForExit() == 0)
    }

    @Test(
        "clients leave room for the server itself: with all their places taken it finds Redis again, and is asked how it is",
        .enabled(if: RedisServer.isInstalled))
    func room() throws {
        let redis = try RedisServer()
        let server = try ServerProcess([#"redis={url:"\#(redis.url)"}"#], descriptorLimit: 64)
        let ready = { try RawClient(port: server.adminPort).get("/readyz").status == 200 }
        try eventually("Redis to be there", ready)
        var held: [RawClient] = []
        var status = 101
        while status == 101, held.count < 64 {
            let client = try server.connect()
            let headers = [("Authorization", "Bearer \(server.token("u\(held.count)"))")]
            status = try client.upgrade("/rider/socket", headers: headers).status
            if status == 101 { held.append(client) }
        }
        #expect(status == 503)
        redis.stop()
        try eventually("Redis to be missed") { try !ready() }
        let crowd = try (0..<100).map { _ in try server.connect() }
        try redis.start()
        try eventually("Redis to be found again", ready)
        try redis.command("PUBLISH", "riders:u0", #""still served""#)
        _ = try held[0].receiveText(containing: "still served")
        for client in crowd { client.close() }
        server.signal(SIGTERM)
        #expect(server.waitForExit() == 0)
    }
}
