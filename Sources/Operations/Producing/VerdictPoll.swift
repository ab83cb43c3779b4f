package import Campaigns
import Delivery
package import Store
import TLS

/// Intake's verdict on a published job, read from the ledger.
package enum CampaignVerdict: Sendable, Equatable {
    /// The job is a campaign.
    case accepted(number: UInt32)
    /// The job was refused, with all its problems.
    case refused(ProblemDocument)
    /// Another job got the id first; that campaign continues unchanged.
    case conflict(Problem)
}

/// Waits in the ledger for the verdict on one job, which is published after the poll was made.
package struct VerdictPoll: Sendable {
    private static let pause = Duration.milliseconds(20)

    private let ledger: Ledger
    private let job: Job
    private let identity: [UInt8]
    /// The instant of an earlier refusal, which says nothing about this job.
    private let refusedBefore: Timestamp?

    /// Creates a poll and notes the ledger's present state of the key.
    package init(_ job: Job, in ledger: Ledger) async throws(LedgerError) {
        self.ledger = ledger
        self.job = job
        identity = SHA256.digest(job.canonicalJSON())
        let (app, id) = (job.app, job.id)
        refusedBefore = try await ledger.read { try $0.refusedAt(app: app, id: id) }
    }

    /// Waits for the verdict.
    ///
    /// Returns nil when there is none within that time. Throws `LedgerError`, or when the task is cancelled.
    package func verdict(within time: Duration) async throws -> CampaignVerdict? {
        let deadline = ContinuousClock.now + time
        while true {
            if let verdict = try await poll() { return verdict }
            guard ContinuousClock.now < deadline else { return nil }
            try await Task.sleep(for: Self.pause)
        }
    }

    private func poll() async throws(LedgerError) -> CampaignVerdict? {
        let (app, id, before) = (job.app, job.id, refusedBefore)
        let (holder, refusal) = try await ledger.read { reader in
            let at = try reader.refusedAt(app: app, id: id)
            return (try reader.holder(app: app, id: id), at == before ? nil : try reader.refusal(app: app, id: id))
        }
        if case .campaign(let number, let held) = holder {
            return held == identity ? .accepted(number: number) : .conflict(.campaignConflict(app: app, id: id))
        }
        return refusal.map { bytes in
            let document = JSONReader.read(bytes).value.flatMap { ProblemDocument(json: $0) }
            return .refused(document ?? ProblemDocument(.invalidJob, title: "The job cannot be sent", campaign: id))
        }
    }
}
