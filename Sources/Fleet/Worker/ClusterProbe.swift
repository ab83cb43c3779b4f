import Delivery
import Logging
import Operations
import Store

/// Looks at the broker's cluster every five seconds.
///
/// A worker whose user may not look leaves it to `status` and `doctor`.
struct ClusterProbe: Sendable {
    let management: ManagementAPI
    let health: HealthRecorder
    let ledger: Ledger
    let logger: Logger

    /// Looks until the task is cancelled.
    func run() async {
        while !Task.isCancelled {
            await look()
            try? await Task.sleep(for: .seconds(5))  // a cancelled sleep ends the loop
        }
    }

    /// Looks once; the log tells of each change.
    private func look() async {
        let faults: BrokerFaults
        do throws(ManagementAPI.Failure) {
            faults = try await management.brokerFaults()
        } catch {
            // The worker's connections tell of a broker that is gone.
            _ = health.saw(nil, at: ledger.now())
            return
        }
        guard health.saw(faults, at: ledger.now()) else { return }
        let problems = faults.problems
        if problems.isEmpty { logger.notice("the broker's cluster is whole") }
        for problem in problems { logger.error("\(problem.text)") }
    }
}
