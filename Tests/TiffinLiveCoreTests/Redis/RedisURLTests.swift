import Testing

@testable import TiffinLiveCore

@Suite("The address of Redis")
struct RedisURLTests {
    struct Parts: Equatable {
        var endpoint: RedisURL.Endpoint
        var tls = false
        var user: String?
        var password: String?
        var database = 0
    }

    private func parts(_ text: String) throws -> Parts {
        let url = try RedisURL(text)
        return Parts(
            endpoint: url.endpoint, tls: url.usesTLS, user: url.user,
            password: url.password.map { String(decoding: $0, as: UTF8.self) }, database: url.database)
    }

    @Test(
        "every form is read",
        arguments: [
            ("redis://redis.internal:6379/0", Parts(endpoint: .tcp(host: "redis.internal", port: 6379))),
            ("redis://redis.internal", Parts(endpoint: .tcp(host: "redis.internal", port: 6379))),
            ("redis://10.0.0.1:6380/", Parts(endpoint: .tcp(host: "10.0.0.1", port: 6380))),
            ("rediss://h:1/15", Parts(endpoint: .tcp(host: "h", port: 1), tls: true, database: 15)),
            ("redis://[::1]:7000/2", Parts(endpoint: .tcp(host: "::1", port: 7000), database: 2)),
            ("redis://[fe80::1]", Parts(endpoint: .tcp(host: "fe80::1", port: 6379))),
            ("redis://:secret@h", Parts(endpoint: .tcp(host: "h", port: 6379), password: "secret")),
            (
                "redis://app:se%3Acr%40t%20@h",
                Parts(endpoint: .tcp(host: "h", port: 6379), user: "app", password: "se:cr@t ")
            ),
            ("redis://app:a:b@h", Parts(endpoint: .tcp(host: "h", port: 6379), user: "app", password: "a:b")),
            ("redis://app:p%C3%A4ss@h", Parts(endpoint: .tcp(host: "h", port: 6379), user: "app", password: "päss")),
            ("redis://app@h", Parts(endpoint: .tcp(host: "h", port: 6379), user: "app")),
            ("unix:/run/redis/redis.sock", Parts(endpoint: .unix(path: "/run/redis/redis.sock"))),
            ("unix:///run/redis.sock?db=3", Parts(endpoint: .unix(path: "/run/redis.sock"), database: 3)),
        ])
    func forms(_ text: String, _ expected: Parts) throws {
        #expect(try parts(text) == expected)
    }

    @Test(
        "anything else is refused",
        arguments: [
            ("", .unknownScheme), ("http://h", .unknownScheme), ("redis:h", .unknownScheme),
            ("REDIS://h", .unknownScheme), ("redis://", .malformedHost), ("redis://:6379", .malformedHost),
            ("redis://h:", .malformedPort), ("redis://h:0", .malformedPort), ("redis://h:65536", .malformedPort),
            ("redis://h:99999999999999999999", .malformedPort), ("redis://h:1x", .malformedPort),
            ("redis://h/x", .malformedDatabase), ("redis://h/-1", .malformedDatabase),
            ("redis://h/1/2", .malformedDatabase), ("redis://h?db=1", .malformed), ("redis://h#1", .malformed),
            ("redis://h b", .malformed), ("redis://h\n", .malformed), ("redis://[::1", .malformedHost),
            ("redis://[::1]6379", .malformedHost), ("redis://h,i:1", .malformedHost),
            ("redis://u:%zz@h", .malformedCredentials), ("redis://u:%4@h", .malformedCredentials),
            ("redis://%FF:x@h", .malformedCredentials), ("unix:relative", .malformed), ("unix:", .malformed),
            ("unix:/a?x=1", .malformed), ("unix:/a?db=", .malformedDatabase),
        ] as [(String, RedisURLError)])
    func refused(_ text: String, _ error: RedisURLError) {
        #expect(throws: error) { try RedisURL(text) }
    }
}
