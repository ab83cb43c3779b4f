import Campaigns
import Delivery
import Logging
import Settings
import Store

/// The values that all parts of a worker share, made first.
struct WorkerContext: Sendable {
    let configuration: Configuration
    let name: String
    let worker: Int64
    let ledger: Ledger
    let apps: AppDirectory
    let providers: [ProviderName]
    let logger: Logger
    /// The exporter of spans; nil when they are not collected.
    let spans: SpanRelay?
    /// Counts of posts to webhooks.
    let posted = WebhookCounters()
    /// The record of what the worker cannot do at present.
    let health = HealthRecorder()

    /// The times of the providers' answers.
    let sending = SendingRecorder()

    /// The reload orders, and the worker's last answer.
    let reloads: ReloadRecorder

    /// The worker's report for its row of the ledger.
    var report: WorkerHealth {
        var report = health.report(apps)
        report.reload = reloads.last
        if sends { report.sending = sending.report(loops: configuration.worker.loops) }
        return report
    }

    /// True if the worker has the sender role.
    var sends: Bool { configuration.worker.roles.contains(.sender) }
}
