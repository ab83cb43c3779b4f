import Campaigns
import Delivery
import Operations
import Settings
import Store
import Transport

/// A worker's metrics, subject by subject.
extension Exposition {
    mutating func write(_ counters: WorkCounters) {
        family("fanfare_notifications_total", .counter, "Devices with an outcome that this worker has settled.")
        for (key, count) in counters.outcomes.sorted(by: { $0.key < $1.key }) {
            sample("fanfare_notifications_total", key.account.labels + [("outcome", key.outcome.name)], count)
        }
        write(
            "fanfare_reasons_total",
            "Devices by the reason that the provider or the fleet gave.",
            "reason",
            counters.reasons
        )
        write("fanfare_retries_total", "Devices that were put on a rung.", "rung", counters.retries)
        write(
            "fanfare_retry_reasons_total",
            "Devices that were put on a rung, by the reason of their last try.",
            "reason",
            counters.retryReasons
        )
        family("fanfare_shards_total", .counter, "Runs of shards that ended here, by how they ended.")
        for end in WorkCounters.RunEnd.allCases {
            sample("fanfare_shards_total", [("end", end.rawValue)], counters.shards[end] ?? 0)
        }
        family("fanfare_claims_total", .counter, "Answers of the ledger to claims of shards.")
        for (decision, count) in counters.claims.sorted(by: { $0.key < $1.key }) {
            sample("fanfare_claims_total", [("decision", decision)], count)
        }
        family(
            "fanfare_maybe_sent_total",
            .counter,
            "Devices that a run may have sent to before it ended without a report."
        )
        sample("fanfare_maybe_sent_total", [], counters.maybeSent)
        family("fanfare_parked_total", .counter, "Messages and shards that this worker parked.")
        for (reason, count) in counters.parked.sorted(by: { $0.key < $1.key }) {
            sample("fanfare_parked_total", [("reason", reason)], count)
        }
        let wait = "fanfare_job_wait_seconds"
        family(wait, .histogram, "From a job's AMQP timestamp, which has whole seconds, to its verdict here.")
        for (urgency, times) in counters.waits.sorted(by: { $0.key.rawValue < $1.key.rawValue }) {
            histogram(wait, [("queue", urgency.rawValue)], WaitTimes.bounds, times.counts, sum: times.total)
        }
    }

    mutating func write(_ tracking: TrackingCounters) {
        let results = tracking.results
        family("fanfare_tracked_total", .counter, "Tracking reports of phones, by their result in the ledger.")
        for (result, count) in [
            ("counted", results.counted), ("repeated", results.repeated), ("unknown_campaign", results.unknown),
            ("late", results.late),
        ] {
            sample("fanfare_tracked_total", [("result", result)], count)
        }
    }

    private mutating func write(
        _ name: String,
        _ help: String,
        _ label: String,
        _ counts: [WorkCounters.NamedKey: Int]
    ) {
        family(name, .counter, help)
        for (key, count) in counts.sorted(by: { $0.key < $1.key }) {
            sample(name, key.account.labels + [(label, key.name)], count)
        }
    }

    // MARK: - Providers

    mutating func write(_ metrics: [AccountKey: ProviderMetrics]) {
        let providers = metrics.sorted { $0.key < $1.key }
        each(providers, "fanfare_requests_total", .counter, "Requests to the provider that ended.", "result") {
            [
                ("answered", $0.counters.answered), ("refused", $0.counters.refused),
                ("unknown", $0.counters.unknown),
            ]
        }
        each(providers, "fanfare_connections", .gauge, "Connections to the provider.", "state") {
            [
                ("connecting", UInt64($0.state.connecting)), ("ready", UInt64($0.state.ready)),
                ("draining", UInt64($0.state.draining)),
            ]
        }
        each(providers, "fanfare_connection_events_total", .counter, "Events of provider connections.", "event") {
            [
                ("connect", $0.counters.connects), ("connect_failure", $0.counters.connectFailures),
                ("handshake", $0.counters.handshakes), ("resumption", $0.counters.resumptions),
                ("end", $0.counters.connectionsEnded), ("goaway", $0.counters.goAways),
                ("deadline", $0.counters.deadlines), ("calm_asked", $0.counters.calmsAsked),
                ("first_stream_refused", $0.counters.firstStreamRefusals),
            ]
        }
        each(providers, "fanfare_network_bytes_total", .counter, "Bytes of ciphertext.", "direction") {
            [("received", $0.counters.bytesReceived), ("sent", $0.counters.bytesSent)]
        }
        each(providers, "fanfare_streams_inflight", .gauge, "Requests that wait for their answer.") {
            UInt64($0.state.openStreams)
        }
        each(
            providers,
            "fanfare_streams_limit",
            .gauge,
            "Streams that the ready connections may have, by the provider's SETTINGS and our own limits."
        ) { UInt64($0.state.streamsAllowed) }
        each(
            providers,
            "fanfare_connections_collapsed",
            .gauge,
            "Ready connections whose stream limit the provider has cut to a tenth or less."
        ) { UInt64($0.state.collapsed) }
        each(
            providers,
            "fanfare_stream_limit_collapses_total",
            .counter,
            "Times that a provider cut the stream limit of a connection to a tenth or less while no other was so."
        ) { $0.counters.limitCollapses }
        writeWarmth(providers)
        writeAnswerTimes(providers)
    }

    private mutating func writeWarmth(_ providers: [Provider]) {
        each(
            providers,
            "fanfare_connections_warm",
            .gauge,
            "Ready connections without a request: the next one waits for no handshake."
        ) { UInt64($0.state.warm) }
        each(
            providers,
            "fanfare_connection_starts_total",
            .counter,
            "Times that requests came after ten seconds without any, by whether a connection was ready.",
            "connection"
        ) { [("warm", $0.counters.warmStarts), ("cold", $0.counters.coldStarts)] }
        each(
            providers,
            "fanfare_congestion_window",
            .gauge,
            "Requests that may wait for their answers at once, by how long answers take."
        ) { UInt64($0.state.window) }
        each(
            providers,
            "fanfare_congestion_window_cuts_total",
            .counter,
            "Times that slow or missing answers halved the congestion window."
        ) { $0.counters.windowCuts }
    }

    mutating func write(_ loops: LoopMetrics) {
        family("fanfare_loop_stalls_total", .counter, "Probes that an event loop did not answer in time.")
        sample("fanfare_loop_stalls_total", [], loops.stalls)
        family("fanfare_loop_answer_seconds", .gauge, "The time that the slowest event loop took to answer.")
        sample("fanfare_loop_answer_seconds", seconds: loops.took / .seconds(1))
    }

    mutating func write(clockSkew milliseconds: Int64) {
        let name = "fanfare_clock_skew_seconds"
        family(name, .gauge, "The lead of this host's wall clock over the time that all workers share.")
        sample(name, seconds: Double(milliseconds) / 1000)
    }

    mutating func write(_ problems: [HealthProblem]) {
        let name = "fanfare_worker_problems"
        family(name, .gauge, "Problems that this worker knows of itself, by kind; 0 if it has none of the kind.")
        for code in HealthProblem.Code.ofWorker {
            sample(name, [("code", code.rawValue)], problems.count { $0.code == code })
        }
    }

    mutating func write(credentialAges: [AccountKey: Duration]) {
        let name = "fanfare_credential_age_seconds"
        family(name, .gauge, "Age of the token that requests carry; it is renewed when requests need it.")
        for (key, age) in credentialAges.sorted(by: { $0.key < $1.key }) {
            sample(name, key.labels, age.components.seconds)
        }
    }

    private typealias Provider = (key: AccountKey, value: ProviderMetrics)

    private mutating func each(
        _ providers: [Provider],
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ value: (ProviderMetrics) -> UInt64
    ) {
        family(name, kind, help)
        for (key, metrics) in providers { sample(name, key.labels, value(metrics)) }
    }

    private mutating func each(
        _ providers: [Provider],
        _ name: String,
        _ kind: Kind,
        _ help: String,
        _ label: String,
        _ values: (ProviderMetrics) -> [(String, UInt64)]
    ) {
        family(name, kind, help)
        for (key, metrics) in providers {
            for (word, value) in values(metrics) { sample(name, key.labels + [(label, word)], value) }
        }
    }

    private mutating func writeAnswerTimes(_ providers: [Provider]) {
        let name = "fanfare_request_duration_seconds"
        family(name, .histogram, "From opening a stream to its answer, by the clock of the loop's turns.")
        for (key, metrics) in providers {
            let times = metrics.answerTimes
            histogram(name, key.labels, AnswerTimes.bounds, times.counts, sum: Double(times.total) / 1_000_000_000)
        }
    }

    // MARK: - The worker

    mutating func write(_ senders: SenderMetrics, _ coordinator: CoordinatorMetrics) {
        single("fanfare_shards_running", .gauge, "Shards that this worker holds.", coordinator.running)
        single("fanfare_unflushed_answers", .gauge, "Answers that the ledger does not have yet.", senders.unflushed)
        single(
            "fanfare_unflushed_answers_limit",
            .gauge,
            "Unflushed answers at which no stream is opened (worker.unflushed).",
            senders.unflushedMax
        )
        family("fanfare_amqp_connected", .gauge, "1 while the connection to the broker is up, else 0.")
        sample("fanfare_amqp_connected", [("connection", "consumer")], coordinator.consumer.isUp ? 1 : 0)
        sample("fanfare_amqp_connected", [("connection", "publisher")], coordinator.publisher.isUp ? 1 : 0)
        family("fanfare_amqp_connections_total", .counter, "Connections to the broker that were made.")
        sample("fanfare_amqp_connections_total", [("connection", "consumer")], coordinator.consumer.made)
        sample("fanfare_amqp_connections_total", [("connection", "publisher")], coordinator.publisher.made)
        single(
            "fanfare_amqp_blocked",
            .gauge,
            "1 while the broker is in an alarm, else 0.",
            coordinator.isBlocked ? 1 : 0
        )
        single("fanfare_amqp_unconfirmed", .gauge, "Publishes that wait for their confirm.", coordinator.unconfirmed)
        single("fanfare_amqp_unpublished", .gauge, "Publishes that wait to be written.", coordinator.unpublished)
    }
}
