/// The answer to `GET /metrics`: every figure with its name and what it means. The names are part of the contract with
/// dashboards and alert rules.
enum MetricsText {
    /// - Parameter workers: the sum over all loops.
    static func render(workers: WorkerMetrics, control: ControlMetrics) -> [UInt8] {
        let buffer = ByteBuffer(capacity: 16 << 10)
        var text = PrometheusText(to: buffer, prefix: "tiffin_live_")
        appendConnections(workers, control, &text)
        appendTraffic(workers, control, &text)
        appendRevocations(workers, control, &text)
        if let redis = control.redis { appendRedis(redis, &text) }
        appendPublishing(control, &text)
        appendTokens(workers, control, &text)
        appendServer(workers, control, &text)
        appendProcess(control, &text)
        return buffer.array
    }

    private static func appendConnections(
        _ workers: WorkerMetrics, _ control: ControlMetrics, _ text: inout PrometheusText
    ) {
        text.begin("connections", .gauge, "Sessions that are open now.")
        text.sample(workers.webSockets, ("transport", Transport.websocket.rawValue))
        text.sample(workers.eventStreams, ("transport", Transport.sse.rawValue))
        text.begin("connections_past_deadline", .gauge, "Sessions that are open although their deadline has passed.")
        text.sample(workers.connectionsPastDeadline)
        text.begin("expiry_forecast", .gauge, "Sessions that will be closed within a time because theirs is up.")
        for (span, count) in zip(ExpiryForecast.spans, workers.forecast.counts) {
            text.sample(count, ("within", span.label))
        }
        text.begin("connections_limit", .gauge, "The most sessions that may be open: limits.connections.")
        text.sample(control.connectionLimit)
        text.begin("sockets", .gauge, "Connections of clients now, handshakes and closings among them.")
        text.sample(workers.sockets)
        text.begin("connections_accepted_total", .counter, "TCP connections accepted.")
        text.sample(workers.connectionsAccepted)
        text.begin("accept_failures_total", .counter, "Connections that could not be accepted.")
        text.sample(workers.acceptFailures)
        text.begin("tls_handshakes_total", .counter, "Handshakes of TLS, by outcome.")
        text.samples(workers.tlsHandshakes, label: "outcome")
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

    private static func appendTraffic(
        _ workers: WorkerMetrics, _ control: ControlMetrics, _ text: inout PrometheusText
    ) {
        text.begin("events_received_total", .counter, "Events that reached an event loop.")
        text.sample(workers.eventsIn)
        text.begin("events_delivered_total", .counter, "Deliveries of events to connections.")
        text.sample(workers.eventsOut)
        text.begin("messages_received_total", .counter, "Messages of clients.")
        text.sample(workers.messagesIn)
        text.begin("messages_handed_over_total", .counter, "Messages of clients that were handed to the backends.")
        text.sample(workers.messagesHandedOver)
        text.begin(
            "messages_unavailable_total", .counter,
            "Messages of clients that the backends did not take, as clients were told."
        )
        text.sample(control.messagesUnavailable)
        text.begin("topics", .gauge, "Topics that somebody here listens to.")
        text.sample(control.topics)
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
        text.begin("revocations_remembered", .gauge, "Revocations whose tokens may still be alive.")
        text.sample(workers.revocationsRemembered)
        text.begin("revocations_malformed_total", .counter, "Revocations ignored because they could not be understood.")
        text.sample(control.revocationsMalformed)
        text.begin(
            "revocation_duration_seconds", .histogram,
            "From hearing a revocation to the close of the last connection that it means.")
        text.samples(control.revocationSeconds)
    }

    private static func appendRedis(_ redis: RedisMetrics, _ text: inout PrometheusText) {
        text.begin("redis_up", .gauge, "1 when both links to Redis are up.")
        text.sample(redis.isUp ? 1 : 0)
        text.begin("redis_links_lost_total", .counter, "Links to Redis that were lost, by link.")
        text.sample(redis.commandLinksLost, ("link", "commands"))
        text.sample(redis.subscriptionLinksLost, ("link", "subscriptions"))
        text.begin("redis_reply_duration_seconds", .summary, "From sending a command to the reply of Redis.")
        text.samples(count: redis.statistics.replies, sum: redis.statistics.replyTime)
        text.begin("redis_errors_total", .counter, "Commands that Redis answered with an error.")
        text.sample(redis.statistics.errors)
        text.begin("redis_timeouts_total", .counter, "Commands that Redis did not answer within redis.timeout.")
        text.sample(redis.statistics.timeouts)
        text.begin("redis_pending_commands", .gauge, "Commands whose reply is awaited now.")
        text.sample(redis.pendingCommands)
        text.begin("revocations_heard", .gauge, "1 when every revocation is heard.")
        text.sample(redis.isHearing ? 1 : 0)
        text.begin(
            "revocations_deaf_seconds_total", .counter, "Time in which revocations from Redis could not be heard.")
        text.sample(seconds: redis.deaf)
    }

    private static func appendPublishing(_ control: ControlMetrics, _ text: inout PrometheusText) {
        text.begin("published_total", .counter, "Events taken for publishing.")
        text.sample(control.published)
        text.begin("publishes_refused_total", .counter, "Publish requests refused.")
        text.sample(control.publishesRefused)
        text.begin("lookups_total", .counter, "Questions to the store about owners and sessions, by outcome.")
        text.sample(control.lookUps, ("outcome", "answered"))
        text.sample(control.lookUpsFailed, ("outcome", "failed"))
    }

    private static func appendTokens(
        _ workers: WorkerMetrics, _ control: ControlMetrics, _ text: inout PrometheusText
    ) {
        text.begin("signatures_verified_total", .counter, "Signatures computed; tokens seen before cost none.")
        text.sample(workers.signatures)
        text.begin("tokens_remembered", .gauge, "Verdicts on tokens in memory, by verdict.")
        text.sample(workers.tokensAccepted, ("verdict", "accepted"))
        text.sample(workers.tokensRefused, ("verdict", "refused"))
        text.begin("keys", .gauge, "Keys that tokens may be signed with.")
        text.sample(control.keys)
        text.begin("keys_current", .gauge, "0 when the key file could not be used, and older keys are in force.")
        text.sample(control.areKeysCurrent ? 1 : 0)
        text.begin("key_reloads_total", .counter, "Key sets read anew, by outcome.")
        text.sample(control.keyReloads, ("outcome", "accepted"))
        text.sample(control.keyReloadsRefused, ("outcome", "refused"))
        if let end = control.certificateEnd {
            text.begin("tls_certificate_end_time_seconds", .gauge, "When the certificate in force ends, since 1970.")
            text.sample(seconds: end)
        }
        text.begin("reloads_total", .counter, "Configurations read anew, by outcome.")
        text.sample(control.reloads, ("outcome", "accepted"))
        text.sample(control.reloadsRefused, ("outcome", "refused"))
    }

    private static func appendServer(
        _ workers: WorkerMetrics, _ control: ControlMetrics, _ text: inout PrometheusText
    ) {
        let loops = [("workers", workers.turns), ("control", control.turns)]
        text.begin("loops", .gauge, "Event loops that serve clients.")
        text.sample(control.workers)
        text.begin("loop_longest_turn_seconds", .gauge, "The longest turn of a loop in the last minute or two.")
        for (name, turns) in loops { text.sample(seconds: turns.longest, ("loop", name)) }
        text.begin("loop_busy_seconds_total", .counter, "Time that loops were at work, all workers together.")
        for (name, turns) in loops { text.sample(seconds: Nanoseconds(clamping: turns.busy), ("loop", name)) }
        text.begin("loop_turns_total", .counter, "Turns of loops, all workers together.")
        for (name, turns) in loops { text.sample(turns.turns, ("loop", name)) }
        text.begin("log_lines_total", .counter, "Log lines written.")
        text.sample(control.logLines)
        text.begin("log_lines_dropped_total", .counter, "Log lines that standard output did not take fast enough.")
        text.sample(control.logLinesDropped)
        text.begin("ready", .gauge, "1 when the server is ready for load.")
        text.sample(control.isReady ? 1 : 0)
        text.begin("draining", .gauge, "1 when the server is sending its connections away.")
        text.sample(control.isDraining ? 1 : 0)
        text.begin("build_info", .gauge, "Always 1; the version of the server, and the commit that was built.")
        text.sample(1, ("version", control.version), ("commit", control.commit))
    }

    /// The names that Prometheus has for every program.
    private static func appendProcess(_ control: ControlMetrics, _ text: inout PrometheusText) {
        let process = control.process
        text.prefix = "process_"
        text.begin("start_time_seconds", .gauge, "When the server started, since 1970.")
        text.sample(seconds: control.startedAt)
        text.begin("cpu_seconds_total", .counter, "Processor time used, of the system and the user.")
        text.sample(seconds: process.processorTime)
        if let count = process.openDescriptors {
            text.begin("open_fds", .gauge, "Open file descriptors.")
            text.sample(count)
        }
        text.begin("max_fds", .gauge, "The most file descriptors that may be open.")
        text.sample(process.descriptorLimit)
        text.begin("resident_memory_bytes", .gauge, "Memory in use.")
        text.sample(process.residentBytes)
        text.begin("virtual_memory_bytes", .gauge, "Address space in use.")
        text.sample(process.virtualBytes)
    }
}
