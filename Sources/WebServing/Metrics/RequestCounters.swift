import Operations
package import Store
import Synchronization

/// Counts requests by operation and status; may be used from any thread.
package final class RequestCounters: Sendable {
    private struct Key: Hashable {
        let operation: String
        let status: Int
    }

    private struct Counts {
        var requests: [Key: Int] = [:]
        var times: [String: Times] = [:]
    }

    /// The histogram of an operation's durations.
    private struct Times {
        var buckets = [Int](repeating: 0, count: bounds.count)
        var count = 0
        var seconds = 0.0
    }

    /// Upper bounds of the histogram's buckets, in seconds; Prometheus' usual ones.
    private static let bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

    private let counts = Mutex(Counts())

    /// Counts a request; `operation` is a route's, never a client's text.
    package func note(operation: String, status: Int, took: Duration) {
        let seconds = Double(took.components.seconds) + Double(took.components.attoseconds) / 1e18
        counts.withLock { counts in
            counts.requests[Key(operation: operation, status: status), default: 0] += 1
            var times = counts.times[operation] ?? Times()
            for (index, bound) in Self.bounds.enumerated() where seconds <= bound { times.buckets[index] += 1 }
            times.count += 1
            times.seconds += seconds
            counts.times[operation] = times
        }
    }

    /// Returns the text of `/metrics`.
    package func exposition(ledger: LedgerMetrics, streams: Int, load: LoadMetrics) -> String {
        let counts = counts.withLock { $0 }
        var text = Exposition()
        let requests = "fanfare_http_requests_total"
        text.family(requests, .counter, "Requests that were answered, by operation and status.")
        let keys = counts.requests.sorted { ($0.key.operation, $0.key.status) < ($1.key.operation, $1.key.status) }
        for (key, count) in keys {
            text.sample(requests, [("operation", key.operation), ("status", String(key.status))], count)
        }
        let times = "fanfare_http_request_seconds"
        text.family(times, .histogram, "From a request's head to its answer's, by operation.")
        for (operation, metrics) in counts.times.sorted(by: { $0.key < $1.key }) {
            for (bound, count) in zip(Self.bounds, metrics.buckets) {
                text.sample(times + "_bucket", [("operation", operation), ("le", "\(bound)")], count)
            }
            text.sample(times + "_bucket", [("operation", operation), ("le", "+Inf")], metrics.count)
            text.sample(times + "_sum", [("operation", operation)], seconds: metrics.seconds)
            text.sample(times + "_count", [("operation", operation)], metrics.count)
        }
        text.single("fanfare_http_streams", .gauge, "Listeners to server-sent events.", streams)
        load.write(to: &text)
        text.write(ledger)
        text.writeProcess()
        text.writeBuild()
        return text.text
    }
}
