import Testing

@testable import TiffinLiveCore

/// The names of the metrics keep the conventions of Prometheus, and whatever in `config/` speaks of metrics speaks of those
/// that there are.
@Suite("Names of metrics")
struct MetricNamesTests {
    private static let text = String(
        decoding: MetricsText.render(workers: WorkerMetrics(), control: .complete), as: UTF8.self)
    private static let files = ["config/prometheus/alerts.yml", "config/grafana/tiffin-live.json"]
    private static let promtool = ProgramRun.find("promtool")

    private let exposition: PrometheusExposition

    init() throws {
        exposition = try PrometheusExposition(Self.text)
    }

    @Test("counters end with total, histograms and summaries with their unit, and units are base units")
    func conventions() {
        let derived = ["milliseconds", "microseconds", "minutes", "hours", "kilobytes", "megabytes", "percent", "ms"]
        for (name, type) in exposition.types {
            #expect(name.hasPrefix("tiffin_live_") || name.hasPrefix("process_"), "\(name)")
            #expect((type == "counter") == name.hasSuffix("_total"), "\(name)")
            if type == "histogram" || type == "summary" { #expect(name.hasSuffix("_seconds"), "\(name)") }
            #expect(name.allSatisfy { $0.isLowercase || $0 == "_" }, "\(name)")
            #expect(name.split(separator: "_").allSatisfy { !derived.contains(String($0)) }, "\(name)")
            #expect(exposition.samples.contains { $0.name.hasPrefix(name) }, "\(name)")
        }
    }

    @Test("labels are few, and none can take a value from outside")
    func labels() {
        let known: Set = [
            "transport", "outcome", "reason", "verdict", "link", "loop", "version", "commit", "le", "within",
        ]
        for sample in exposition.samples {
            #expect(sample.labels.count <= 3, "\(sample.name)")
            #expect(known.isSuperset(of: sample.labels.keys), "\(sample.name) \(sample.labels)")
        }
        #expect(exposition.samples.count < 300)
    }

    @Test("alert rules and dashboard name only metrics that there are", arguments: files)
    func metricsOfFiles(_ path: String) throws {
        let names = Self.metricNames(in: try ProjectFile.text(path))
        #expect(names.count > 15)
        var written = Set(exposition.samples.map(\.name))
        written.formUnion(exposition.types.keys)
        #expect(names.subtracting(written).sorted() == [])
    }

    @Test("alert rules and dashboard ask only for values of labels that there are", arguments: files)
    func labelsOfFiles(_ path: String) throws {
        let text = try ProjectFile.text(path).replacing("\\\"", with: "\"")
        for label in ["outcome", "reason", "loop", "link", "verdict", "transport", "within"] {
            let values = Set(exposition.samples.compactMap { $0.labels[label] })
            for mark in ["=", "!=", "=~", "!~"] {
                for part in text.split(separator: "\(label)\(mark)\"", omittingEmptySubsequences: false).dropFirst() {
                    for value in part.prefix(while: { $0 != "\"" }).split(separator: "|") {
                        #expect(values.contains(String(value)), "\(path): \(label)\(mark)\(value)")
                    }
                }
            }
        }
    }

    @Test("every alert says what happened, what to do and how urgent it is")
    func alerts() throws {
        let rules = try ProjectFile.text("config/prometheus/alerts.yml").split(separator: "- alert: ").dropFirst()
        #expect(rules.count > 20)
        #expect(Set(rules.map { $0.prefix { $0 != "\n" } }).count == rules.count)
        for rule in rules {
            let name = rule.prefix { $0 != "\n" }
            for part in ["expr:", "severity:", "summary: \"", "description: \""] {
                #expect(rule.contains(part), "\(name) has no \(part)")
            }
            #expect(rule.contains("severity: page") || rule.contains("severity: ticket"), "\(name)")
        }
    }

    @Test("the dashboard is JSON, and every panel asks something")
    func dashboard() throws {
        let dashboard = try JSONReader.read(Array(try ProjectFile.text("config/grafana/tiffin-live.json").utf8))
        let panels = try #require(dashboard["panels"]?.arrayValue)
        #expect(panels.count > 20)
        var ids: Set<Int64> = []
        for panel in panels {
            let isNew = ids.insert(panel["id"]?.numberValue?.int64 ?? -1).inserted
            #expect(isNew)
            guard panel["type"]?.stringValue != "row" else { continue }
            let targets = panel["targets"]?.arrayValue ?? []
            #expect(targets.contains { $0["expr"]?.stringValue?.isEmpty == false }, "\(panel["title"] as Any)")
        }
    }

    @Test("promtool finds no fault in the metrics", .enabled(if: promtool != nil))
    func promtoolMetrics() throws {
        let program = try #require(Self.promtool)
        let run = try ProgramRun([program, "check", "metrics"], input: Array(Self.text.utf8))
        #expect(run.status == 0)
        #expect(run.output + run.errors == "")
    }

    @Test("promtool finds no fault in the alert rules, and their tests pass", .enabled(if: promtool != nil))
    func promtoolRules() throws {
        let program = try #require(Self.promtool)
        let folder = ProjectFile.root + "config/prometheus/"
        let check = try ProgramRun([program, "check", "rules", "--lint=all", "--lint-fatal", folder + "alerts.yml"])
        #expect(check.status == 0, "\(check.output)\(check.errors)")
        let test = try ProgramRun([program, "test", "rules", folder + "alerts.test.yml"])
        #expect(test.status == 0, "\(test.output)\(test.errors)")
    }

    /// Every word in `text` that begins as the name of a metric does.
    private static func metricNames(in text: String) -> Set<String> {
        let words = text.split { !($0.isLetter || $0.isNumber || $0 == "_") }
        return Set(words.filter { $0.hasPrefix("tiffin_live_") || $0.hasPrefix("process_") }.map(String.init))
    }
}
