import Operations
import Synchronization

/// Counts of this process's posts to webhooks, for the metrics; may be used from any thread.
final class WebhookCounters: Sendable {
    /// The result of a try.
    enum Result: String, CaseIterable {
        /// The receiver took the event.
        case delivered
        /// The receiver answered with another status.
        case refused
        /// The receiver did not answer, or was not reached.
        case unanswered
    }

    private let counts = Mutex<[String: [Result: Int]]>([:])

    /// Counts a try.
    func add(_ result: Result, app: String) {
        counts.withLock { $0[app, default: [:]][result, default: 0] += 1 }
    }

    /// The tries so far, by app.
    var tries: [String: [Result: Int]] { counts.withLock { $0 } }
}

extension Exposition {
    mutating func write(_ tries: [String: [WebhookCounters.Result: Int]]) {
        family(
            "fanfare_webhook_requests_total",
            .counter,
            "Events that this worker posted to webhooks, by their result."
        )
        for (app, results) in tries.sorted(by: { $0.key < $1.key }) {
            for result in WebhookCounters.Result.allCases {
                sample(
                    "fanfare_webhook_requests_total",
                    [("app", app), ("result", result.rawValue)],
                    results[result] ?? 0
                )
            }
        }
    }
}
