import Campaigns
import Delivery
import Operations
import Store

/// Makes the runs of repeated campaigns, each once and when it is due (design, section 10).
///
/// `RunTimes` decides what is due; the ledger ensures that only one planner makes a run.
struct RunMaker: Sendable {
    let intake: Intake
    let ledger: Ledger

    /// Takes the step of a campaign that is due; nil when there is none.
    ///
    /// - Parameters:
    ///   - lease: The lease of the repeated campaign, which fences the write.
    ///   - now: The instant on the clock that all workers share.
    func step(_ lease: LeaseToken, now: Timestamp) async throws -> RepeatResult? {
        let parent = try await ledger.read { try $0.repeatedCampaign(lease.campaign) }
        guard let parent, let due = parent.due else { return nil }
        let job = try Job(stored: parent.job)
        guard let times = RepeatCheck.times(of: job) else {
            throw LedgerError.failed("no clock is known here for the time zone of \(parent.facts.id)")
        }
        guard let found = times.step(due: due, now: now) else { return nil }
        let step = try await step(found, due: due, of: parent, job, times, now: now)
        return try await ledger.write(.synced) { try $0.takeStep(step, by: lease, now: now) }
    }

    private func step(
        _ found: RunTimes.Step,
        due: Timestamp,
        of parent: RepeatedCampaign,
        _ job: Job,
        _ times: RunTimes,
        now: Timestamp
    ) async throws -> RepeatStep {
        var step = RepeatStep(due: due)
        step.next = found.next.map { NextRun(at: $0, madeAt: times.madeAt($0)) }
        step.missed = found.missed.map { ($0, "no worker was there in time") }
        guard let at = found.run else { return step }
        if let restoredAt = parent.restoredAt, times.madeAt(at) <= restoredAt {
            step.missed = (at, "the ledger was restored: it may have been sent before")
            return step
        }
        let run = job.run(at: at, times)
        do {
            step.run = (at, try await intake.run(run, of: parent, now: now))
        } catch let reason as RunNotMade {
            step.missed = (at, reason.description)
        }
        return step
    }
}
