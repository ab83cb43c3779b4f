import Campaigns

/// Leases, what was held and is fired, what supersedes, and what was set aside.
extension PlannerSteps {
    /// The planner has these leases; what it does for them comes next.
    ///
    /// - Parameters:
    ///   - leases: Urgent campaigns first, then by age.
    ///   - consumers: Live workers that send.
    ///   - accounts: What the live workers can send for.
    ///   - isEnding: Whether campaigns that are over have rows left to settle.
    public mutating func leased(
        _ leases: [LeasedCampaign],
        consumers: Int,
        accounts: AppAccounts,
        isEnding: Bool
    ) {
        self.leases = leases
        self.consumers = max(1, consumers)
        self.accounts = accounts
        self.isEnding = isEnding
        stage = .leased
        let planned = Set(leases.filter { $0.unplannedChunks == 0 }.map(\.facts.number))
        if !planned.isEmpty { add([.complete(planned)]) }
        lookAtHeld()
    }

    /// Another planner has not renewed a lease in time: its campaigns wait for nothing.
    public mutating func lookedBehind(hasLapsed: Bool, _ look: Look) {
        if hasLapsed { lease(look) }
    }

    // MARK: Held campaigns

    /// Nothing but a hint is between `fire` and the broker: the first shards are here.
    mutating func lookAtHeld() {
        if !prepared.isEmpty { add([.lookAtHeld(Set(prepared.keys.map(\.campaign)))]) }
    }

    /// What held campaigns are now.
    public mutating func looked(atHeld campaigns: [Held], _ look: Look) {
        guard look.isTaking else { return }
        for held in campaigns where held.facts.stage != .held {
            let campaign = held.facts
            guard var shards = prepared.removeValue(forKey: ShareKey(campaign)), campaign.mayPlan(at: look.shared)
            else {
                continue
            }
            for index in shards.indices {
                shards[index].record.state = .unpublished
                // What counts from the release has begun with it.
                shards[index].facts.expiresAt = campaign.expiresAt
                shards[index].facts.urgency = held.urgency
            }
            addFirst(.publishFired(shards))
        }
    }

    mutating func prepareHeld() {
        let held = leases.filter { $0.facts.stage == .held && !$0.facts.isInApp }
        // One that got another urgency meanwhile goes to another lane.
        let urgencies = Dictionary(held.map { ($0.key, $0.urgency) }) { first, _ in first }
        prepared = prepared.filter { key, shards in
            urgencies[key].map { urgency in shards.allSatisfy { $0.facts.urgency == urgency } } ?? false
        }
        let window = Window.free(consumers: consumers, prefetch: prefetch, unclaimed: 0)
        // Under a rate the first shards wait for their turns like all others.
        for lease in held where prepared[lease.key] == nil && !lease.isPaced {
            add([.prepare(lease, shardsMax: window)])
        }
    }

    /// The first shards of the held campaign; nil when it is not held any more.
    public mutating func prepared(_ shards: [ShardToPublish]?) {
        if case .prepare(let lease, _) = doing, let shards { prepared[lease.key] = shards }
    }

    // MARK: Superseding

    mutating func supersede(_ look: Look) {
        isWaiting = false
        var asked: Set<UInt32> = []
        for facts in leases.map(\.facts) where !facts.isReleased && facts.mayRelease(at: look.shared) {
            if asked.insert(facts.number).inserted { add([.release(campaign: facts.number)]) }
        }
    }

    /// Whether the campaign may begin.
    public mutating func released(_ result: ReleaseResult) {
        guard case .release(let campaign) = doing else { return }
        if result == .waits { isWaiting = true }
        for index in leases.indices where leases[index].facts.number == campaign {
            leases[index].facts.isReleased = result == .released
        }
    }

    // MARK: What was set aside

    mutating func releaseAsides(_ look: Look) {
        // What the broker does not take waits in the ledger where it is.
        guard look.isTaking else { return }
        for lease in leases where accounts.has(lease.facts.app, lease.provider) {
            if lease.facts.breaker.isOpen {
                add([.lookForProbe(lease)])
            } else if lease.facts.mayPlan(at: look.shared) {
                add([.lookForAside(lease)])
            }
        }
    }

    /// Whether it is time to look whether the provider is back.
    public mutating func lookedForProbe(isDue: Bool) {
        if case .lookForProbe(let lease) = doing, isDue { addFirst(.probe(lease)) }
    }

    /// Whether anything of the campaign is set aside: it goes out as fast as the breaker lets it since it closed.
    public mutating func lookedForAside(isThere: Bool, _ look: Look) {
        guard case .lookForAside(let lease) = doing, isThere else { return }
        addFirst(.releaseAside(lease, limit: lease.facts.breaker.pace(now: look.shared)))
    }

    /// So many shards were set aside no more; none when no more are due.
    public mutating func releasedAside(_ count: Int) {
        guard case .releaseAside(let lease, let limit) = doing, count > 0, count < limit else { return }
        addFirst(.releaseAside(lease, limit: limit - count))
    }

    /// Whether campaigns that are over have more rows to settle.
    public mutating func endedPiece(isMore: Bool) { isEnding = isMore }
}
