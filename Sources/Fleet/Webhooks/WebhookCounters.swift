import Synchronization

/// What this process has posted, for the metrics; may be used from any thread.
final class WebhookCounters: Sendable {
    /// How a try ended.
    enum Result: String, CaseIterable {
        /// The receiver took the event.
        case delivered
        /// It answered something else.
        case refused
        /// It answered nothing, or was not reached.
        case unanswered
    }

    private let counts = Mutex<[String: [Result: Int]]>([:])

    /// Counts a try.
    func add(_ result: Result, app: String) {
        counts.withLock { $0[app, default: [:]][result, default: 0] += 1 }
    }

    /// Tries so far, by app.
    var tries: [String: [Result: Int]] { counts.withLock { $0 } }
}

extension Exposition {
    mutating func write(_ tries: [String: [WebhookCounters.Result: Int]]) {
        family(
            "fanfare_webhook_requests_total",
            .counter,
            "Events that this worker posted to webhooks, by what came of it."
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
