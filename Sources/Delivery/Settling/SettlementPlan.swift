public import Campaigns

/// What the ledger writes for the end of a run, all in the transaction that read the row and its campaign.
public enum SettlementPlan: Sendable, Equatable {
    /// Nothing: the row is another run's, or nobody's.
    case fenced
    /// The row waits for a person, because the settlement does not have as many devices: raise an alarm.
    case parks(ShardRecord)
    /// The row is settled, and this goes with it.
    case settles(Settled)

    /// A row that is settled, and what is learnt from it.
    public struct Settled: Sendable, Equatable {
        /// The row, and those that follow it.
        public var settling: RowSettling
        /// Devices that are marked as suspect, or as dead at the second time: they end `invalid`.
        public var suspects: [UInt16] = []
        /// Devices that are marked as dead.
        public var dead: [Settlement.DeadToken] = []
        /// Whether suspect devices that were accepted lose their mark.
        public var clearsSuspects = false
        /// What the wrong-environment guard counts before it looks; nil when it has nothing to decide.
        public var guardCount: GuardCount?
        /// What the error-ratio guard counts before it looks; nil when it has nothing to decide.
        public var contentCount: GuardCount?
    }

    /// Devices that a guard counts.
    public struct GuardCount: Sendable, Equatable {
        /// Those that the provider has said something final about.
        public var answers: Int
        /// Those among them that speak against the campaign.
        public var against: Int

        /// Devices of one settlement.
        public init(answers: Int, against: Int) {
            self.answers = answers
            self.against = against
        }
    }

    /// Decides what a run's settlement comes to.
    ///
    /// When the campaign is over meanwhile, devices that would be sent to again, and those that the guard would hold
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
        // What is known to be suspect says nothing of the environment.
        if !campaign.isGuardPassed, !isOfSuspects {
            settled.guardCount = GuardCount(answers: final.progress.answeredCount, against: final.held.count)
        }
        if asked.contentFaults > 0, campaign.isContentWatched {
            // What was answered before a pause is no answer to what somebody mended in it.
            let answers = asked.progress.answeredCount - asked.answeredBefore
            settled.contentCount = GuardCount(answers: answers, against: asked.contentFaults)
        }
        self = .settles(settled)
    }

    /// The rows whose messages are published before the ack: the others wait in the ledger.
    public static func published(_ children: [ShardRecord]) -> [ShardRecord] {
        children.filter { $0.state == .unpublished }
    }
}

extension Settlement {
    /// The settlement of a campaign that may be over by now; nil when its devices cannot be counted.
    fileprivate func whenOver(_ campaign: CampaignFacts, attempt: UInt32, now: Timestamp) -> Settlement? {
        guard let outcome = campaign.ending(at: now) else { return self }
        return endingRetries(outcome, attempt: attempt)
    }
}

extension CampaignFacts {
    /// Whether the error-ratio guard has something to decide about it.
    fileprivate var isContentWatched: Bool {
        stage.isLive && contentTrips < ContentGuard.tripsMax && !pausedBy.contains(.content)
    }
}
