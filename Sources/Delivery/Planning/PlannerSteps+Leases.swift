import Campaigns

/// Leases, held campaigns that are fired, superseding campaigns, and shards that were set aside.
extension PlannerSteps {
    /// Takes the planner's leases, and begins the steps for them.
    ///
    /// - Parameters:
    ///   - leases: The leases, urgent campaigns first, then by age.
    ///   - ranges: The leased ranges of audiences that flow, in the same order.
    ///   - consumers: The number of live workers that send.
    ///   - accounts: The accounts for which the live workers can send.
    ///   - isEnding: True if campaigns that are over have rows left to settle.
    public mutating func leased(
        _ leases: [LeasedCampaign],
        ranges: [LeasedAudience] = [],
        consumers: Int,
        accounts: AppAccounts,
        isEnding: Bool
    ) {
        (self.leases, self.ranges) = (leases, ranges)
        self.consumers = max(1, consumers)
        self.accounts = accounts
        self.isEnding = isEnding
        stage = .leased
        let planned = Set(leases.filter { $0.unplannedChunks == 0 }.map(\.facts.number))
        if !planned.isEmpty { add([.complete(planned)]) }
        readHeld()
    }

    /// Takes the outlook: what has no planner, or one whose lease has lapsed, need not wait.
    public mutating func didLook(_ outlook: LeaseOutlook, _ observation: Observation) {
        isSweeper = outlook.isSweeper
        lookAt = observation.now.advanced(by: outlook.pause(at: observation.shared))
        if outlook.isAnyFree { lease(observation) }
    }

    // MARK: Held campaigns

    /// Polls the held campaigns whose first shards are here, so that only a hint is between `fire` and the broker.
    mutating func readHeld() {
        if !prepared.isEmpty { add([.readHeld(Set(prepared.keys.map(\.campaign)))]) }
    }

    /// Takes the present facts of held campaigns.
    public mutating func didRead(held campaigns: [Held], _ observation: Observation) {
        guard observation.isTaking else { return }
        for held in campaigns where held.facts.stage != .held {
            let campaign = held.facts
            guard var shards = prepared.removeValue(forKey: ShareKey(campaign)),
                campaign.mayPlan(at: observation.shared)
            else {
                continue
            }
            for index in shards.indices {
                shards[index].record.state = .unpublished
                // Time that counts from the release has begun with it.
                shards[index].facts.expiresAt = campaign.expiresAt
                shards[index].facts.policy.urgency = held.urgency
            }
            addFirst(.publishFired(shards))
        }
    }

    mutating func prepareHeld() {
        let held = leases.filter { $0.facts.stage == .held && !$0.facts.isInApp }
        // A campaign whose urgency has changed goes to another lane.
        let urgencies = Dictionary(held.map { ($0.key, $0.urgency) }) { first, _ in first }
        prepared = prepared.filter { key, shards in
            urgencies[key].map { urgency in shards.allSatisfy { $0.facts.policy.urgency == urgency } } ?? false
        }
        let window = Window.free(consumers: consumers, prefetch: prefetch, unclaimed: 0)
        // Under a rate the first shards wait for their turns like all others.
        for lease in held where prepared[lease.key] == nil && !lease.isPaced {
            add([.prepare(lease, shardsMax: window)])
        }
    }

    /// Takes the first shards of the held campaign; nil if it is no longer held.
    public mutating func prepared(_ shards: [ShardToPublish]?) {
        if case .prepare(let lease, _) = doing, let shards { prepared[lease.key] = shards }
    }

    // MARK: Superseding

    mutating func supersede(_ observation: Observation) {
        isWaiting = false
        var asked: Set<UInt32> = []
        for facts in leases.map(\.facts) where !facts.isReleased && facts.mayRelease(at: observation.shared) {
            if asked.insert(facts.number).inserted { add([.release(campaign: facts.number)]) }
        }
    }

    /// Notes whether the campaign may begin.
    public mutating func released(_ result: ReleaseResult) {
        guard case .release(let campaign) = doing else { return }
        if result == .waits { isWaiting = true }
        for index in leases.indices where leases[index].facts.number == campaign {
            leases[index].facts.isReleased = result == .released
        }
    }

    // MARK: Shards that were set aside

    mutating func releaseAsides(_ observation: Observation) {
        // Shards that the broker would not take stay in the ledger.
        guard observation.isTaking else { return }
        for lease in leases where accounts.has(lease.facts.app, lease.provider) {
            if lease.facts.breaker.isOpen {
                add([.checkProbe(lease)])
            } else if lease.facts.mayPlan(at: observation.shared) {
                add([.checkAside(lease)])
            }
        }
    }

    /// Notes whether a probe of the provider is due.
    public mutating func didCheckProbe(isDue: Bool) {
        if case .checkProbe(let lease) = doing, isDue { addFirst(.probe(lease)) }
    }

    /// Notes whether shards of the campaign are set aside: they go out at the pace of the breaker since it closed.
    public mutating func didCheckAside(isThere: Bool, _ observation: Observation) {
        guard case .checkAside(let lease) = doing, isThere else { return }
        addFirst(.releaseAside(lease, limit: lease.facts.breaker.pace(now: observation.shared)))
    }

    /// Takes the number of shards that were released; 0 if no more are due.
    public mutating func releasedAside(_ count: Int) {
        guard case .releaseAside(let lease, let limit) = doing, count > 0, count < limit else { return }
        addFirst(.releaseAside(lease, limit: limit - count))
    }

    /// Notes whether campaigns that are over have more rows to settle.
    public mutating func endedPiece(isMore: Bool) { isEnding = isMore }
}
