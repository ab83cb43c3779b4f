import Campaigns
import Foundation
import Servers
import Store
import Testing

extension EndToEnd {
    /// Spans of shards, as an OpenTelemetry collector receives them.
    @Suite("Traces")
    struct Traces {
        @Test func `each shard of a traced campaign is a span of the producer's trace, its retries too`() async throws {
            let collector = try Collector()
            defer { collector.stop() }
            try await PrivateFleet.with(faults: ["rules": "5030=once-503"]) { fleet in
                let file = URL(fileURLWithPath: fleet.folder + "/fanfare.yaml")
                let text = try String(contentsOf: file, encoding: .utf8)
                let more = "telemetry:\n  otlp_url: http://127.0.0.1:\(collector.port)\n"
                try Data((text + more).utf8).write(to: file)
                _ = try await fleet.startWorker()
                let trace = "4bf92f3577b34da6a3ce929d0e0e4736"
                let tokens = TestDevices.tokens(600) + TestDevices.tokens(10, prefix: "5030")
                try await fleet.publish(TestJob("untraced", TestDevices.tokens(5)))
                var job = TestJob("derby", tokens)
                job.traceParent = "00-\(trace)-00f067aa0ba902b7-01"
                try await fleet.publish(job)
                let status = try await fleet.completed("derby")
                #expect(status.counts.accepted == 610)
                // Two chunks, and one or two retries.
                let spans = try await eventually("its spans are at the collector", within: .seconds(30)) {
                    let spans = collector.spans
                    let devices = spans.reduce(0) { $0 + (Self.number($1, "fanfare.accepted") ?? 0) }
                    return devices == 610 ? spans : nil
                }
                #expect(spans.allSatisfy { $0["traceId"]?.string == trace })
                #expect(spans.allSatisfy { $0["parentSpanId"]?.string == "00f067aa0ba902b7" })
                #expect(Set(spans.compactMap { $0["spanId"]?.string }).count == spans.count)
                #expect(spans.contains { Self.number($0, "fanfare.attempt") == 2 })
                #expect(spans.reduce(0) { $0 + (Self.number($1, "fanfare.requests") ?? 0) } == status.attempts)
            }
        }

        private static func number(_ span: JSONValue, _ name: String) -> Int? {
            let attribute = span["attributes"]?.array?.first { $0["key"]?.string == name }
            return attribute?["value"]?["intValue"]?.string.flatMap { Int($0) }
        }
    }
}
