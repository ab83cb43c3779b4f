public import Campaigns

/// The ledger's writes for a claim, in the transaction that read the facts, and the worker's actions afterwards.
public struct ClaimPlan: Sendable, Equatable {
    /// The facts that the ledger has read for a claim.
    public struct Facts: Sendable, Equatable {
        /// The shard's row; nil if there is none.
        public var row: ShardRecord?
        /// The row's campaign, as the row's provider sees it; nil if there is none.
        public var campaign: CampaignFacts?
        /// The row's owner by the ledger's list of workers.
        public var owner: Claim.Owner
        /// The number of workers that died with it, as far as the row says.
        public var deaths: Int
        /// True if the time zone of its devices has quiet hours.
        public var isQuiet: Bool

        /// Facts; by default those of a row that nobody has claimed.
        public init(
            row: ShardRecord?,
            campaign: CampaignFacts?,
            owner: Claim.Owner = .nobody,
            deaths: Int = 0,
            isQuiet: Bool = false
        ) {
            self.row = row
            self.campaign = campaign
            self.owner = owner
            self.deaths = deaths
            self.isQuiet = isQuiet
        }
    }

    /// The effect on the probe of an open breaker.
    public enum Probe: Sendable, Equatable {
        /// None: the shard is no probe, or its message changes nothing.
        case stays
        /// The worker runs it: its lease begins anew.
        case isClaimed
        /// The probe ended before it began, and showed nothing.
        case ends(Breaker.ProbeResult)
    }

    /// The worker's action.
    public let decision: Claim.Decision
    /// The write to the row.
    public let write: RowWrite
    /// The number of devices noted permanently as maybe sent to, beyond what is counted as attempts.
    public let maybeSent: Int
    /// True if this claim ends a run of another claim, so that what that run sent and did not report may be sent again.
    public let takesOver: Bool
    /// The number of workers that died with the row, including the one that this claim finds.
    public let deaths: Int
    /// The effect on the breaker's probe.
    public let probe: Probe

    /// Decides a claim; throws if devices of a shard that is over cannot be counted.
    public init(_ claim: Claim, _ facts: Facts, now: Timestamp) throws(UnlawfulShard) {
        let owner = claim.believed(facts.owner)
        let decision = claim.decide(
            shard: facts.row,
            campaign: facts.campaign,
            owner: owner,
            deaths: facts.deaths,
            isQuiet: facts.isQuiet,
            now: now
        )
        self.decision = decision
        guard let row = facts.row, let campaign = facts.campaign else {
            (write, maybeSent, takesOver, deaths, probe) = (.nothing, 0, false, facts.deaths, .stays)
            return
        }
        let isAdopting = decision == .run && claim.isAdopting(row)
        // A run that continues with another delivery was not abandoned.
        deaths = isAdopting ? facts.deaths : Claim.deaths(facts.deaths, owner: owner)
        takesOver = decision.endsFormerRun && row.state == .running && !isAdopting
        maybeSent = takesOver ? claim.mayBeSent(row, owner: owner, now: now) : 0
        probe = campaign.breaker.isProbe(claim.key) ? Self.probe(decision) : .stays
        switch decision {
        case .park, .drop, .settledAlready, .runAlone, .waits: write = .nothing
        case .run: write = .runs(row.claimed(by: claim.worker), deaths: deaths)
        case .setAside(let reason): write = .moves(row.setAside(reason))
        case .quarantine: write = .moves(row.parked())
        case .end(let outcome): write = .settles(try RowSettling(row, endingAs: outcome))
        }
    }

    private static func probe(_ decision: Claim.Decision) -> Probe {
        switch decision {
        case .run: .isClaimed
        case .end, .setAside, .quarantine: .ends(.nothing)
        case .park, .drop, .settledAlready, .runAlone, .waits: .stays
        }
    }

    /// True if the message is acked next, so that the writes have to survive a power loss.
    public var isFinal: Bool {
        switch write {
        case .moves, .settles: true
        case .nothing, .runs: false
        }
    }

    /// True if retry shards that a crash left unpublished are to be published before the ack.
    public var publishesChildren: Bool { decision == .settledAlready }

    /// True if the row's next message is to be published before the ack.
    public var publishesAnew: Bool { decision == .setAside(.handOver) }

    /// Returns true if the run has to be told the expiry of its devices, because the message has an outdated one.
    public func tellsEnd(of campaign: CampaignFacts?) -> Bool {
        decision == .run && (campaign?.endChanges ?? 0) > 0
    }
}
