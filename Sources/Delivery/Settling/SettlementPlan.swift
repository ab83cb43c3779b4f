public import Campaigns

/// The ledger's writes for the end of a run, in the transaction that read the row and its campaign.
public enum SettlementPlan: Sendable, Equatable {
    /// Nothing: the row is another run's, or nobody's.
    case fenced
    /// The row waits for a person, because the settlement has another number of devices: raise an alarm.
    case parks(ShardRecord)
    /// The row is settled, together with these writes.
    case settles(Settled)

    /// A settled row, and what the ledger learns from it.
    public struct Settled: Sendable, Equatable {
        /// The row, and those that follow it.
        public var settling: RowSettling
        /// The devices that are marked as suspect, or as dead at the second time: they end `invalid`.
        public var suspects: [UInt16] = []
        /// The devices that are marked as dead.
        public var dead: [Settlement.DeadToken] = []
        /// True if suspect devices that were accepted lose their mark.
        public var clearsSuspects = false
        /// The count for the wrong-environment guard before it judges; nil if it has nothing to decide.
        public var guardCount: GuardCount?
        /// The count for the error-ratio guard before it judges; nil if it has nothing to decide.
        public var contentCount: GuardCount?
    }

    /// The devices that a guard counts.
    public struct GuardCount: Sendable, Equatable {
        /// The number of devices with a final answer from the provider.
        public var answers: Int
        /// The number of those that speak against the campaign.
        public var against: Int

        /// The devices of one settlement.
        public init(answers: Int, against: Int) {
            self.answers = answers
            self.against = against
        }
    }

    /// Decides about a run's settlement.
    ///
    /// If the campaign is over meanwhile, devices that were to be sent to again, and those that the guard would hold
    /// back, end with its outcome instead.
    public init(
        _ token: RunToken,
        _ asked: Settlement,
        row: ShardRecord?,
        campaign: CampaignFacts?,
        now: Timestamp
    ) {
        guard let row, let campaign, token.holds(row) else {
            self = .fenced
            return
        }
        guard asked.isLawful(count: row.count), let open = asked.whenOver(campaign, attempt: row.attempt, now: now),
            let final = campaign.isGuardPassed ? open.endingHeld(.invalid, attempt: row.attempt) : open
        else {
            self = .parks(row.parked())
            return
        }
        let isOfSuspects = token.key.part == ShardKey.suspectPart
        var settled = Settled(settling: RowSettling(row, final, of: campaign))
        settled.suspects = campaign.isGuardPassed ? open.held : []
        settled.dead = final.dead
        settled.clearsSuspects = isOfSuspects
        // Devices that are known to be suspect say nothing about the environment.
        if !campaign.isGuardPassed, !isOfSuspects {
            settled.guardCount = GuardCount(answers: final.progress.answeredCount, against: final.held.count)
        }
        if asked.contentFaults > 0, campaign.isContentGuarded {
            // Answers from before a pause say nothing about a fix that was made during it.
            let answers = asked.progress.answeredCount - asked.answeredBefore
            settled.contentCount = GuardCount(answers: answers, against: asked.contentFaults)
        }
        self = .settles(settled)
    }

    /// Returns the rows whose messages are published before the ack: the others wait in the ledger.
    public static func published(_ children: [ShardRecord]) -> [ShardRecord] {
        children.filter { $0.state == .unpublished }
    }
}

extension Settlement {
    /// The settlement of a campaign that may be over by now; nil if its devices cannot be counted.
    fileprivate func whenOver(_ campaign: CampaignFacts, attempt: UInt32, now: Timestamp) -> Settlement? {
        guard let outcome = campaign.ending(at: now) else { return self }
        return endingRetries(outcome, attempt: attempt)
    }
}

extension CampaignFacts {
    /// True if the error-ratio guard has something to decide about it.
    fileprivate var isContentGuarded: Bool {
        stage.isLive && contentTrips < ContentGuard.tripsMax && !pausedBy.contains(.content)
    }
}
