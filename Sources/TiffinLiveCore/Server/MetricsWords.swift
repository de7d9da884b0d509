/// Counters of one metric with one label whose values are known beforehand; whatever else comes is counted as `other`, so
/// that nothing from outside makes new series.
struct MetricsWords: Equatable, Sendable {
    let words: [String]
    private(set) var counts: [UInt64]

    static let handshakes = MetricsWords([
        "accepted", "bad_request", "token_in_url", "missing_token", "token_expired", "invalid_token", "revoked",
        "ticket_invalid", "forbidden", "origin_refused", "not_found", "method_not_allowed", "request_timeout",
        "length_required",
        "content_too_large", "uri_too_long", "upgrade_required", "head_too_large", "rate_limited",
        "too_many_connections", "not_implemented", "version_not_supported", "draining", "full", "over_admission_rate",
        "unavailable", "proxy_header_missing", "proxy_header_malformed",
    ])

    static let refreshes = MetricsWords([
        "accepted", "token_expired", "invalid_token", "revoked", "forbidden", "different_user", "rate_limited",
    ])

    /// Handshakes of TLS that were carried through, or that this side gave up. A peer that only goes away is no outcome.
    static let tlsHandshakes = MetricsWords([
        "full", "resumed", "plain_http", "not_tls", "unsupported_version", "no_shared_cipher",
        "no_application_protocol", "alert", "protocol_violation",
    ])

    static let closes = MetricsWords(DisconnectReason.allCases.map(\.word))

    init(_ words: [String]) {
        self.words = words + ["other"]
        counts = Array(repeating: 0, count: words.count + 1)
    }

    mutating func count(_ word: String) {
        let index = words.firstIndex(of: word) ?? words.count - 1
        counts[index] &+= 1
    }

    subscript(word: String) -> UInt64 {
        words.firstIndex(of: word).map { counts[$0] } ?? 0
    }

    /// Sums up with counters of the same words.
    mutating func add(_ other: MetricsWords) {
        for index in counts.indices where index < other.counts.count { counts[index] &+= other.counts[index] }
    }
}
