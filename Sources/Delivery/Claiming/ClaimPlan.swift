public import Campaigns

/// What the ledger writes for a claim, all in the transaction that read the facts, and what the worker does afterwards.
public struct ClaimPlan: Sendable, Equatable {
    /// What the ledger has read for a claim.
    public struct Facts: Sendable, Equatable {
        /// The shard's row; nil when there is none.
        public var row: ShardRecord?
        /// Its campaign, as the row's provider meets it; nil when there is none.
        public var campaign: CampaignFacts?
        /// Whose the row is by the ledger's list of workers.
        public var owner: Claim.Owner
        /// How many workers have died with it, as far as the row says.
        public var deaths: Int
        /// Whether the time zone of its devices has quiet hours.
        public var isQuiet: Bool

        /// Facts; those of a row that nobody has claimed by default.
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

    /// What becomes of the probe of an open breaker.
    public enum Probe: Sendable, Equatable {
        /// Nothing: the shard is no probe, or its message changes nothing.
        case stays
        /// The worker runs it: its lease begins anew.
        case isClaimed
        /// It ended before it began, and nothing was learnt.
        case ends(Breaker.ProbeResult)
    }

    /// What the worker does.
    public let decision: Claim.Decision
    /// What becomes of the row.
    public let write: RowWrite
    /// Devices that are noted for good as maybe sent to, beyond what is counted as attempts.
    public let maybeSent: Int
    /// Whether a run of another claim is ended by this one, and what it sent and did not say may be sent again.
    public let takesOver: Bool
    /// Workers that have died with the row, the one that this claim finds included.
    public let deaths: Int
    /// What becomes of the breaker's probe.
    public let probe: Probe

    /// Decides what a claim comes to; throws when devices of a shard that is over cannot be counted.
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
        // A run that goes on with another delivery was not left behind.
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

    /// Whether the message is acked next, so that what is written has to survive a power loss.
    public var isFinal: Bool {
        switch write {
        case .moves, .settles: true
        case .nothing, .runs: false
        }
    }

    /// Whether retry shards that a crash left unpublished are to be published before the ack.
    public var publishesChildren: Bool { decision == .settledAlready }

    /// Whether the run has to be told the end of its devices, because the message has the one of before.
    public func tellsEnd(of campaign: CampaignFacts?) -> Bool {
        decision == .run && (campaign?.endChanges ?? 0) > 0
    }
}
