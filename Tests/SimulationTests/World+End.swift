import Campaigns
import Delivery

/// Invariants of a campaign that is over.
extension World {
    func checkEnd() throws {
        let (lost, twice) = ledger.accounts(shardCount: Self.shardCount)
        guard lost == 0 else { throw Violation(description: "\(lost) devices are lost") }
        guard twice == 0 else { throw Violation(description: "\(twice) devices are counted twice") }
        for worker in workers where worker.unflushed != 0 {
            throw Violation(description: "a loop without a run counts \(worker.unflushed) answers as not committed")
        }
        for row in ledger.rows.values { report.outcomes += row.progress.counts }
        for row in ledger.rows.values {
            for position in row.positions.isEmpty ? (0..<UInt16(row.count)).map(\.self) : row.positions
            where row.attempt > provider.attemptMax(.init(ordinal: row.id.key.chunk, position: position)) {
                throw Violation(description: "\(row.id) is charged more than its devices failed")
            }
        }
        try ledger.checkKnown(provider.known)
        let others = report.outcomes.cancelled + report.outcomes.expired
        let dropped = provider.leftOut.count + provider.known.values.count { $0 == .skipped }
        guard report.outcomes.skipped <= dropped, report.outcomes.skipped + others >= dropped else {
            throw Violation(description: "\(report.outcomes.skipped) devices skipped, \(dropped) were dropped")
        }
        (report.guardTrips, report.guardPasses) = (ledger.guardTrips, ledger.guardPasses)
        if ledger.guardTrips > 0, faults.wrongEnvironment, report.outcomes.invalid > 0 {
            throw Violation(description: "\(report.outcomes.invalid) good tokens are invalid")
        }
        report.contentTrips = ledger.campaign.contentTrips
        try checkContent()
        (report.slots, report.turns) = (ledger.rate?.slots ?? 0, ledger.rate?.used.count ?? 0)
        report.openings = ledger.openings
        report.quieted = ledger.quieted
        report.closings = ledger.closings
        report.adoptions = adoptions
        report.asked = asked
        report.takeovers = ledger.takeovers
        report.lostAnswers = provider.lostAnswers
        report.extraSends = provider.extraSends
        if report.crashes + report.disconnects == 0, report.takeovers > 0 {
            throw Violation(description: "\(report.takeovers) shards were taken over though nobody died")
        }
        report.atRisk = ledger.atRisk
        (report.waits, report.maybeSent) = (ledger.owners.waits, ledger.owners.maybeSent)
        if faults.isPatient, report.crashes == 0, report.extraSends > 0 {
            throw Violation(description: "\(report.extraSends) extra sends though no worker died")
        }
        let counted = ledger.attempts + report.maybeSent
        guard provider.requests <= counted else {
            throw Violation(description: "\(provider.requests) requests, \(counted) are told of")
        }
        if report.extraSends > report.atRisk {
            throw Violation(description: "\(report.extraSends) extra sends, \(report.atRisk) could be explained")
        }
        if faults.dropUnknown, provider.pushesMax > 1 {
            throw Violation(description: "\(provider.pushesMax) pushes to a device that gets one at most")
        }
    }

    /// Checks that refused content stops the campaign for a person, who lets it go on twice at most.
    private func checkContent() throws {
        let trips = ledger.campaign.contentTrips
        guard trips <= ContentGuard.tripsMax else {
            throw Violation(description: "the campaign was stopped \(trips) times for its content")
        }
        // A run's counts are lost with it, and when it is set aside.
        let isUndisturbed = report.crashes + report.disconnects + report.terminations == 0 && faults.pause == 0
        if faults.refused > 0, isUndisturbed, trips == 0, provider.contentFaults >= 18 {
            throw Violation(description: "\(provider.contentFaults) devices were refused, and nobody was asked")
        }
    }
}
