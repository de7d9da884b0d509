import Testing

@testable import TiffinLiveCore

/// The operations manual names what the server writes: every log event, every metric, every word of a label, and nothing
/// that does not exist.
@Suite("The operations manual")
struct LogReferenceTests {
    private static let path =
        String(#filePath.dropLast("Tests/TiffinLiveCoreTests/Server/LogReferenceTests.swift".count))
        + "docs/operations.md"

    private let lines: [Substring]

    init() throws {
        let bytes = try SecretReference.file(Self.path).read()
        lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n", omittingEmptySubsequences: false)
    }

    /// The cells of the table rows below a heading, up to the next heading.
    private func rows(below heading: String) -> [[Substring]] {
        let section = lines.drop { $0 != heading }.dropFirst().prefix { !$0.hasPrefix("## ") }
        return section.filter { $0.hasPrefix("| `") }.map { line in
            line.dropFirst(2).dropLast(2).split(separator: " | ", omittingEmptySubsequences: false)
        }
    }

    /// The first cells, without their backticks.
    private func names(below heading: String) -> [String] {
        rows(below: heading).compactMap { $0.first?.split(separator: "`").first.map(String.init) }
    }

    @Test("names every log event once, and no other")
    func logEvents() {
        let named = names(below: "## Logs")
        #expect(named.sorted() == LogEvent.allCases.map(\.rawValue).sorted())
    }

    @Test("gives every log event a level that exists")
    func logLevels() {
        let levels = Set(LogLevel.allCases.map(\.name.description))
        for row in rows(below: "## Logs") {
            #expect(row.count == 4, "\(row)")
            let named = row.dropFirst().first?.split(separator: ", ").map(String.init) ?? []
            #expect(!named.isEmpty && levels.isSuperset(of: named), "\(row)")
        }
    }

    @Test("names every metric once with its kind, and no other")
    func metrics() {
        let text = MetricsText.render(workers: WorkerMetrics(), control: .complete)
        let kinds = String(decoding: text, as: UTF8.self).split(separator: "\n").compactMap { line in
            line.hasPrefix("# TYPE ") ? line.dropFirst("# TYPE ".count) : nil
        }
        let named = rows(below: "## Metrics").map { row in
            "\(row.first?.split(separator: "`").first ?? "") \(row.dropFirst().first ?? "")"
        }
        #expect(!kinds.isEmpty)
        #expect(named.sorted() == kinds.map(String.init).sorted())
    }

    @Test("names every reason for which a session ends", arguments: DisconnectReason.allCases)
    func reasons(_ reason: DisconnectReason) {
        let metrics = lines.drop { $0 != "## Metrics" }.prefix { $0 != "## Logs" }
        #expect(metrics.contains { $0.contains("`\(reason.word)`") })
    }
}
