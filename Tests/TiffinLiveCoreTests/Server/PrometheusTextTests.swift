import Testing

@testable import TiffinLiveCore

/// The text exposition format, version 0.0.4.
@Suite("Prometheus text")
struct PrometheusTextTests {
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
        let exposition = try PrometheusExposition(
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

    @Test("the whole answer is well formed and holds the figures")
    func wholeAnswer() throws {
        var workers = WorkerMetrics()
        workers.change(.websocket, by: 5)
        workers.count(handshake: "token_expired")
        workers.count(close: .tooSlow)
        workers.turns.turnEnded(at: 1, after: 2_000_000)
        workers.queuedBytes = 77
        var control = ControlMetrics.complete
        control.commit = "c0ffee"
        control.version = "1.0 \"beta\"\n\\"
        control.startedAt = 1_764_500_000 * .second
        control.isReady = true
        control.revocationSeconds.observe(.millisecond)
        let exposition = try PrometheusExposition(
            String(decoding: MetricsText.render(workers: workers, control: control), as: UTF8.self))
        #expect(exposition.value("tiffin_live_connections", ["transport": "websocket"]) == 5)
        #expect(exposition.value("tiffin_live_connections", ["transport": "sse"]) == 0)
        #expect(exposition.value("tiffin_live_handshakes_total", ["outcome": "token_expired"]) == 1)
        #expect(exposition.value("tiffin_live_closes_total", ["reason": "too_slow"]) == 1)
        #expect(exposition.value("tiffin_live_loop_longest_turn_seconds", ["loop": "workers"]) == 0.002)
        #expect(exposition.value("tiffin_live_queued_bytes") == 77)
        #expect(exposition.value("tiffin_live_connections_past_deadline") == 0)
        #expect(exposition.value("tiffin_live_revocation_duration_seconds_count") == 1)
        #expect(exposition.value("process_start_time_seconds") == 1_764_500_000)
        #expect(exposition.value("tiffin_live_ready") == 1)
        #expect(exposition.value("process_open_fds") == 77)
        #expect(exposition.value("tiffin_live_redis_reply_duration_seconds_sum") == 0.003)
        #expect(exposition.value("tiffin_live_redis_reply_duration_seconds_count") == 2)
        #expect(exposition.value("tiffin_live_redis_errors_total") == 1)
        #expect(exposition.value("tiffin_live_build_info", ["version": "1.0 \"beta\"\n\\", "commit": "c0ffee"]) == 1)
    }
}
