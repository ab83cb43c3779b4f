import Campaigns
import Foundation
import Glibc
import Servers
import Simulator
import Store
import Testing
import Transport

extension EndToEnd {
    @Suite("Metrics and probes")
    struct Metrics {
        private static let page = #filePath.replacing(
            "Tests/EndToEndTests/MetricsTests.swift",
            with: "Sources/Fleet/Documentation.docc/Operating.md"
        )

        @Test func `what a worker counts is what the ledger and the peer count`() async throws {
            try await PrivateFleet.with(faults: ["dead": "0.1", "once_503": "0.05"]) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(3000))
                var job = TestJob("derby", list: "fans")
                job.timestamp = UInt64(TestClock.now().milliseconds / 1000)
                try await fleet.publish(job)
                let status = try await fleet.completed("derby")
                // The last settlement is counted right after its commit.
                try await eventually("all outcomes are counted") {
                    try await worker.metrics().sum("fanfare_notifications_total") == 3000
                }
                // The fleet is polled every five seconds.
                try await eventually("the fleet is seen without a backlog") {
                    let metrics = try await worker.metrics()
                    return metrics.sum("fanfare_workers") == 1
                        && metrics.sum("fanfare_lane_consumers", "urgency=\"bulk\"") == 4
                        && metrics.text.contains("fanfare_backlog_devices{urgency=\"bulk\"} 0\n")
                }
                let metrics = try await worker.metrics()
                func devices(_ outcome: String) -> Int {
                    metrics.sum(
                        "fanfare_notifications_total",
                        "app=\"news\"",
                        "provider=\"apns\"",
                        "outcome=\"\(outcome)\""
                    )
                }
                #expect(devices("accepted") == status.counts.accepted)
                #expect(devices("invalid") == status.counts.invalid)
                #expect(metrics.sum("fanfare_reasons_total", "Unregistered") == status.counts.invalid)
                let requests = Int(fleet.simulator.statistics.requests)
                #expect(metrics.sum("fanfare_requests_total", "answered") == requests)
                #expect(metrics.sum("fanfare_request_duration_seconds_count") == requests)
                #expect(metrics.sum("fanfare_request_duration_seconds_bucket", "+Inf") == requests)
                #expect(metrics.sum("fanfare_retries_total", "rung=\"5s\"") == requests - 3000)
                #expect(metrics.sum("fanfare_unflushed_answers_limit") == 4000)
                #expect(metrics.sum("fanfare_streams_inflight") == 0)
                #expect(metrics.sum("fanfare_streams_limit") >= 1000)
                #expect(metrics.sum("fanfare_amqp_connected") == 2)
                #expect(metrics.sum("fanfare_job_wait_seconds_count", "queue=\"bulk\"") == 1)
                #expect(metrics.sum("fanfare_credential_age_seconds", "app=\"news\"", "provider=\"apns\"") < 60)
                #expect(metrics.names.contains("fanfare_credential_age_seconds"))
                #expect(metrics.sum("fanfare_build_info") == 1)
                #expect(metrics.sum("fanfare_ledger_commits_total") > 0)
                #expect(metrics.sum("process_resident_memory_bytes") > 1 << 20)
                let page = try String(contentsOfFile: Self.page, encoding: .utf8)
                for name in metrics.names { #expect(page.contains("`\(name)`"), "Operating.md has no \(name)") }
                // A label must not have as many values as there are campaigns or devices.
                #expect(!metrics.text.contains("derby") && !metrics.text.contains("a0000000"))
            }
        }

        @Test func `a provider that collapses its stream limits shows in the metrics, and so does their return`()
            async throws
        {
            try await PrivateFleet.with(faults: ["latency": "20"]) { fleet in
                let worker = try await fleet.startWorker()
                try await fleet.putList("fans", TestDevices.tokens(30_000))
                try await fleet.publish(TestJob("derby", list: "fans"))
                try await fleet.requests(reach: 2000)
                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("streams", to: "1")
                }
                try await eventually("the collapse is seen") {
                    let metrics = try await worker.metrics()
                    return metrics.sum("fanfare_connections_collapsed") > 0
                        && metrics.sum("fanfare_stream_limit_collapses_total") > 0
                }
                _ = try await fleet.simulator.changeFaults { (faults) throws(FaultsError) in
                    try faults.set("streams", to: "1000")
                }
                try await eventually("the limits are back") {
                    try await worker.metrics().sum("fanfare_connections_collapsed") == 0
                }
                _ = try await fleet.completed("derby")
            }
        }

        @Test func `a worker is ready while broker and ledger are there, and not while it takes no work`() async throws
        {
            try await PrivateFleet.with { fleet in
                let worker = try await fleet.startWorker()
                try await eventually("the worker is ready") { try await worker.probe("/readyz").status == 200 }
                #expect(try await worker.probe("/livez").status == 200)
                #expect(try await worker.probe("/elsewhere").status == 404)
                worker.signal(SIGTSTP)
                try await eventually("the worker is quiet") {
                    let answer = try await worker.probe("/readyz")
                    return answer.status == 503 && String(decoding: answer.body, as: UTF8.self).contains("SIGTSTP")
                }
                #expect(try await worker.probe("/livez").status == 200)
                worker.signal(SIGCONT)
                try await eventually("the worker is ready again") { try await worker.probe("/readyz").status == 200 }
            }
        }

        @Test func `a given address that is taken ends the worker with one line; the default moves on`() async throws {
            try await PrivateFleet.with { fleet in
                let first = try await fleet.startWorker()
                let taken = "127.0.0.1:\(try await first.probePort)"
                let outcome = try await FanfareProcess.run(
                    ["worker", "--config", "fanfare.yaml"],
                    folder: fleet.folder,
                    environment: ["FANFARE_WORKER_LISTEN": taken]
                )
                #expect(outcome.exit == 78)
                #expect(outcome.errors.contains("cannot listen on \(taken)"))
                let second = try await fleet.startWorker()
                #expect(try await second.probePort != first.probePort)
            }
        }
    }
}
