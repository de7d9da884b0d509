/// The answer to `GET /metrics`: every figure with its name and what it means. The names are part of the contract with
/// dashboards and alert rules.
enum MetricsText {
    /// - Parameter workers: the sum over all loops.
    static func render(workers: WorkerMetrics, control: ControlMetrics) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 16 << 10)
        var text = PrometheusText(to: buffer, prefix: "tiffin_live_")
        appendConnections(workers, &text)
        appendTraffic(workers, &text)
        appendRevocations(workers, control, &text)
        appendProcess(workers, control, &text)
        return buffer.array
    }

    private static func appendConnections(_ workers: WorkerMetrics, _ text: inout PrometheusText) {
        text.begin("connections", .gauge, "Sessions that are open now.")
        text.sample(workers.webSockets, ("transport", Transport.websocket.rawValue))
        text.sample(workers.eventStreams, ("transport", Transport.sse.rawValue))
        text.begin("connections_past_deadline", .gauge, "Sessions that are open although their deadline has passed.")
        text.sample(workers.connectionsPastDeadline)
        text.begin("expiry_forecast", .gauge, "Sessions that will be closed within a time because theirs is up.")
        for (span, count) in zip(ExpiryForecast.spans, workers.forecast.counts) {
            text.sample(count, ("within", span.label))
        }
        text.begin("connections_accepted_total", .counter, "TCP connections accepted.")
        text.sample(workers.connectionsAccepted)
        text.begin("handshakes_total", .counter, "Handshakes answered, by outcome.")
        text.samples(workers.handshakes, label: "outcome")
        text.begin(
            "handshake_duration_seconds", .histogram, "From the beginning of a connection to its session's admission.")
        text.samples(workers.handshakeSeconds)
        text.begin("tickets_sold_total", .counter, "One-time tickets given out.")
        text.sample(workers.ticketsSold)
        text.begin("closes_total", .counter, "Sessions that ended, by reason.")
        text.samples(workers.closes, label: "reason")
        text.begin("refreshes_total", .counter, "New tokens sent on open connections, by outcome.")
        text.samples(workers.refreshes, label: "outcome")
    }

    private static func appendTraffic(_ workers: WorkerMetrics, _ text: inout PrometheusText) {
        text.begin("events_received_total", .counter, "Events that reached an event loop.")
        text.sample(workers.eventsIn)
        text.begin("events_delivered_total", .counter, "Deliveries of events to connections.")
        text.sample(workers.eventsOut)
        text.begin("messages_received_total", .counter, "Messages of clients.")
        text.sample(workers.messagesIn)
        text.begin("messages_handed_over_total", .counter, "Messages of clients that were handed to the backends.")
        text.sample(workers.messagesHandedOver)
        text.begin("received_bytes_total", .counter, "Bytes received from clients.")
        text.sample(workers.bytesIn)
        text.begin("sent_bytes_total", .counter, "Bytes sent to clients.")
        text.sample(workers.bytesOut)
        text.begin("queued_bytes", .gauge, "Bytes that wait for slow clients now.")
        text.sample(workers.queuedBytes)
    }

    private static func appendRevocations(
        _ workers: WorkerMetrics, _ control: ControlMetrics, _ text: inout PrometheusText
    ) {
        text.begin("revocations_total", .counter, "Revocations heard.")
        text.sample(workers.revocations)
        text.begin("revocations_malformed_total", .counter, "Revocations ignored because they could not be understood.")
        text.sample(control.revocationsMalformed)
        text.begin(
            "revocation_duration_seconds", .histogram,
            "From hearing a revocation to the close of the last connection that it means.")
        text.samples(control.revocationSeconds)
        text.begin(
            "revocations_deaf_seconds_total", .counter, "Time in which revocations from Redis could not be heard.")
        text.sample(seconds: control.revocationsDeaf)
        text.begin("redis_up", .gauge, "1 when both links to Redis are up.")
        text.sample(control.isRedisUp ? 1 : 0)
        text.begin("published_total", .counter, "Events taken for publishing.")
        text.sample(control.published)
        text.begin("publishes_refused_total", .counter, "Events refused at publishing.")
        text.sample(control.publishesRefused)
    }

    private static func appendProcess(
        _ workers: WorkerMetrics, _ control: ControlMetrics, _ text: inout PrometheusText
    ) {
        text.begin("loop_longest_turn_seconds", .gauge, "The longest turn of an event loop since the last scrape.")
        text.sample(seconds: workers.longestTurn)
        text.begin("loops", .gauge, "Event loops.")
        text.sample(control.workers)
        text.begin("keys", .gauge, "Keys that tokens may be signed with.")
        text.sample(control.keys)
        text.begin("key_reloads_total", .counter, "Key sets read anew, by outcome.")
        text.sample(control.keyReloads, ("outcome", "accepted"))
        text.sample(control.keyReloadsRefused, ("outcome", "refused"))
        text.begin("reloads_total", .counter, "Configurations read anew, by outcome.")
        text.sample(control.reloads, ("outcome", "accepted"))
        text.sample(control.reloadsRefused, ("outcome", "refused"))
        text.begin("log_lines_dropped_total", .counter, "Log lines that standard output did not take fast enough.")
        text.sample(control.logLinesDropped)
        text.begin("ready", .gauge, "1 when the server is ready for load.")
        text.sample(control.isReady ? 1 : 0)
        text.begin("draining", .gauge, "1 when the server is sending its connections away.")
        text.sample(control.isDraining ? 1 : 0)
        text.begin("start_time_seconds", .gauge, "When the server started, since 1970.")
        text.sample(seconds: control.startedAt)
        text.begin("build_info", .gauge, "Always 1; the version of the server.")
        text.sample(1, ("version", control.version))
    }
}
