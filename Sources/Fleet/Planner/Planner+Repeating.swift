import Campaigns
import Delivery
import Logging
import Store

/// Repeated campaigns: their runs are made when they are due.
extension Planner {
    /// When a repeated campaign is to be looked at again, after a failure.
    typealias RepeatRests = [UInt32: ContinuousClock.Instant]

    /// Makes the runs that are due; returns whether there is one.
    func makeRuns(_ leases: [LeasedCampaign], _ rests: inout RepeatRests) async throws -> Bool {
        let now = ledger.now()
        var isAny = false
        for lease in leases where lease.facts.isRunDue(at: now) {
            let campaign = lease.facts.number
            guard rests[campaign].map({ $0 <= .now }) ?? true else { continue }
            do {
                let result = try await runs.step(campaign, leaseEpoch: lease.leaseEpoch, now: now)
                rests[campaign] = nil
                guard let result, result != .fenced else { continue }
                isAny = true
                if case .made = result {
                    logger.info("a campaign comes again", metadata: ["campaign": "\(lease.facts.id)"])
                    outlet.eventsWritten()
                }
            } catch {
                // Whatever it is, the other campaigns go on.
                logger.error(
                    "a run cannot be made now",
                    metadata: ["campaign": "\(lease.facts.id)", "error": "\(error)"]
                )
                rests[campaign] = .now + Self.repeatPause
            }
        }
        return isAny
    }

    /// After a failure.
    private static let repeatPause = Duration.seconds(5)

    private var runs: RunMaker {
        RunMaker(intake: Intake(ledger: ledger, apps: limits, worker: worker), ledger: ledger, worker: worker)
    }
}
