import Campaigns
import Logging
import Store

/// What all parts of a worker share, made before the first of them.
struct WorkerContext: Sendable {
    let configuration: Configuration
    let name: String
    let worker: Int64
    let ledger: Ledger
    let apps: AppDirectory
    let providers: [ProviderName]
    let logger: Logger
    /// Where spans go; nil when nobody wants them.
    let spans: SpanRelay?
    /// What was posted to webhooks.
    let posted = WebhookCounters()

    /// Whether it has the role.
    var sends: Bool { configuration.worker.roles.contains(.sender) }

    var intake: Intake { Intake(ledger: ledger, apps: apps, worker: worker, sends: sends) }
}
