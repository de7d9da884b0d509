import Testing

@testable import TiffinLiveCore

/// The text exposition format, version 0.0.4.
@Suite("Prometheus text")
struct PrometheusTextTests {
    /// A reader of the format that knows no more than its rules.
    private struct Exposition {
        var types: [String: String] = [:]
        var samples: [(name: String, labels: [String: String], value: Double)] = []

        struct Malformed: Error {
            let line: Substring
        }

        init(_ text: String) throws {
            guard text.hasSuffix("\n") else { throw Malformed(line: text.suffix(20)) }
            var family = ""
            var helped: Set<String> = []
            for line in text.dropLast().split(separator: "\n", omittingEmptySubsequences: false) {
                let words = line.split(separator: " ", maxSplits: 3)
                if line.hasPrefix("# HELP ") {
                    guard words.count == 4, helped.insert(String(words[2])).inserted else {
                        throw Malformed(line: line)
                    }
                } else if line.hasPrefix("# TYPE ") {
                    family = String(words[2])
                    guard helped.contains(family), types[family] == nil, words.count == 4,
                        ["counter", "gauge", "histogram"].contains(words[3])
                    else { throw Malformed(line: line) }
                    types[family] = String(words[3])
                } else {
                    try readSample(line, of: family)
                }
            }
        }

        private mutating func readSample(_ line: Substring, of family: String) throws {
            guard let space = line.lastIndex(of: " "), let value = Double(line[line.index(after: space)...]) else {
                throw Malformed(line: line)
            }
            var rest = line[..<space]
            let name = String(rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" })
            rest = rest.dropFirst(name.count)
            let suffixes = types[family] == "histogram" ? ["_bucket", "_sum", "_count"] : [""]
            guard suffixes.contains(where: { family + $0 == name }) else { throw Malformed(line: line) }
            var labels: [String: String] = [:]
            if rest.first == "{" {
                guard rest.last == "}" else { throw Malformed(line: line) }
                rest = rest.dropFirst().dropLast()
                while !rest.isEmpty {
                    let label = String(rest.prefix { $0 != "=" })
                    rest = rest.dropFirst(label.count + 1)
                    guard rest.first == "\"", labels[label] == nil else { throw Malformed(line: line) }
                    labels[label] = try Self.takeQuoted(&rest)
                    if rest.first == "," { rest = rest.dropFirst() }
                }
            }
            guard !samples.contains(where: { $0.name == name && $0.labels == labels }) else {
                throw Malformed(line: line)
            }
            samples.append((name, labels, value))
        }

        private static func takeQuoted(_ rest: inout Substring) throws -> String {
            var text = ""
            rest = rest.dropFirst()
            while let character = rest.popFirst() {
                if character == "\"" { return text }
                guard character == "\\" else {
                    text.append(character)
                    continue
                }
                switch rest.popFirst() {
                case "n": text.append("\n")
                case "\\": text.append("\\")
                case "\"": text.append("\"")
                default: throw Malformed(line: rest)
                }
            }
            throw Malformed(line: rest)
        }

        func value(_ name: String, _ labels: [String: String] = [:]) -> Double? {
            samples.first { $0.name == name && $0.labels == labels }?.value
        }
    }

    private func written(_ write: (inout PrometheusText) -> Void) -> String {
        let buffer = ByteBuffer()
        var text = PrometheusText(to: buffer, prefix: "p_")
        write(&text)
        return String(decoding: buffer.array, as: UTF8.self)
    }

    @Test("a family is HELP, TYPE and its samples")
    func family() {
        let text = written {
            $0.begin("x_total", .counter, "What \\ it\nmeans \"here\".")
            $0.sample(UInt64.max)
            $0.sample(-1, ("a", "b"), ("c", "\"\\\n"))
            $0.sample(seconds: 1_500_000_000)
        }
        #expect(
            text == """
                # HELP p_x_total What \\\\ it\\nmeans "here".
                # TYPE p_x_total counter
                p_x_total 18446744073709551615
                p_x_total{a="b",c="\\"\\\\\\n"} -1
                p_x_total 1.5

                """)
    }

    @Test(
        "spans are written in seconds with the decimals that they have",
        arguments: [
            (0, "0"), (1, "0.000000001"), (1_000_000_000, "1"), (-1_250_000_000, "-1.25"),
            (Nanoseconds.max, "9223372036.854775807"), (Nanoseconds.min, "-9223372036.854775808"),
        ] as [(Nanoseconds, String)])
    func seconds(span: Nanoseconds, expected: String) {
        #expect(
            written {
                $0.begin("s", .gauge, "h")
                $0.sample(seconds: span)
            }.hasSuffix("\np_s \(expected)\n"))
    }

    @Test("a histogram is cumulative and ends with everything")
    func histogram() throws {
        var histogram = MetricsHistogram()
        for span in [50_000, 200_000, 3_000_000, 20_000_000_000] as [Nanoseconds] { histogram.observe(span) }
        let exposition = try Exposition(
            written {
                $0.begin("h_seconds", .histogram, "h")
                $0.samples(histogram)
            })
        #expect(exposition.value("p_h_seconds_bucket", ["le": "0.0001"]) == 1)
        #expect(exposition.value("p_h_seconds_bucket", ["le": "0.00025"]) == 2)
        #expect(exposition.value("p_h_seconds_bucket", ["le": "0.005"]) == 3)
        #expect(exposition.value("p_h_seconds_bucket", ["le": "10"]) == 3)
        #expect(exposition.value("p_h_seconds_bucket", ["le": "+Inf"]) == 4)
        #expect(exposition.value("p_h_seconds_count") == 4)
        #expect(exposition.value("p_h_seconds_sum") == 20.00325)
        let buckets = exposition.samples.filter { $0.name.hasSuffix("_bucket") }.map(\.value)
        #expect(buckets == buckets.sorted())
    }

    @Test("the whole answer is well formed and every name keeps the conventions")
    func wholeAnswer() throws {
        var workers = WorkerMetrics()
        workers.change(.websocket, by: 5)
        workers.count(handshake: "token_expired")
        workers.count(close: .tooSlow)
        workers.longestTurn = 2_000_000
        workers.queuedBytes = 77
        var control = ControlMetrics()
        control.version = "1.0 \"beta\"\n\\"
        control.startedAt = 1_764_500_000 * .second
        control.isReady = true
        control.revocationSeconds.observe(.millisecond)
        let exposition = try Exposition(
            String(decoding: MetricsText.render(workers: workers, control: control), as: UTF8.self))
        #expect(exposition.value("tiffin_live_connections", ["transport": "websocket"]) == 5)
        #expect(exposition.value("tiffin_live_connections", ["transport": "sse"]) == 0)
        #expect(exposition.value("tiffin_live_handshakes_total", ["outcome": "token_expired"]) == 1)
        #expect(exposition.value("tiffin_live_closes_total", ["reason": "too_slow"]) == 1)
        #expect(exposition.value("tiffin_live_loop_longest_turn_seconds") == 0.002)
        #expect(exposition.value("tiffin_live_queued_bytes") == 77)
        #expect(exposition.value("tiffin_live_connections_past_deadline") == 0)
        #expect(exposition.value("tiffin_live_revocation_duration_seconds_count") == 1)
        #expect(exposition.value("tiffin_live_start_time_seconds") == 1_764_500_000)
        #expect(exposition.value("tiffin_live_ready") == 1)
        #expect(exposition.value("tiffin_live_build_info", ["version": "1.0 \"beta\"\n\\"]) == 1)
        for (name, type) in exposition.types {
            #expect(name.hasPrefix("tiffin_live_"))
            #expect((type == "counter") == name.hasSuffix("_total"), "\(name)")
            if type == "histogram" { #expect(name.hasSuffix("_seconds"), "\(name)") }
            #expect(exposition.samples.contains { $0.name.hasPrefix(name) }, "\(name)")
        }
    }
}
