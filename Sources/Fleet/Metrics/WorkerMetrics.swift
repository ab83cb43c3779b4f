import Delivery
import Operations
import Settings
import Store

/// All metrics of a worker, for one scrape.
struct WorkerMetrics: Sendable {
    var loops: LoopMetrics
    var senders: SenderMetrics
    var coordinator: CoordinatorMetrics
    var credentialAges: [AccountKey: Duration]
    var ledger: LedgerMetrics
    /// The lead of the host's wall clock over the shared time, in milliseconds.
    var clockSkew: Int64
    /// The worker's own problems.
    var problems: [HealthProblem]
    var posted: [String: [WebhookCounters.Result: Int]]
    var fleet: FleetMetrics

    /// The answer to `/metrics`.
    var exposition: String {
        var page = Exposition()
        page.write(coordinator.counters)
        page.write(coordinator.tracking)
        page.write(senders.providers)
        page.write(credentialAges: credentialAges)
        page.write(senders, coordinator)
        page.write(ledger)
        page.write(loops)
        page.write(clockSkew: clockSkew)
        page.write(problems)
        page.write(posted)
        page.write(fleet)
        page.writeProcess()
        page.writeBuild()
        return page.text
    }
}
