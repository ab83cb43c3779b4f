import Campaigns

/// New shards, as many as the lanes' windows have room for.
extension PlannerSteps {
    mutating func beginCutting(_ observation: Observation) {
        (isCutting, guarded) = (false, [])
        guard observation.isTaking, !open(observation).isEmpty else { return }
        isCutting = true
        add([.readWindow])
    }

    /// The leases of which shards may be cut now.
    private func open(_ observation: Observation) -> [LeasedCampaign] {
        leases.filter {
            $0.unplannedChunks > 0 && !$0.isPaced && $0.facts.mayPlan(at: observation.shared)
                && accounts.has($0.facts.app, $0.provider)
        }
    }

    /// Takes what is out and unclaimed, and shares the free capacity of each lane among its campaigns.
    public mutating func didRead(window uses: [WindowUse], _ observation: Observation) {
        let open = open(observation)
        var lanes: [Lane] = []
        for lease in open where !lanes.contains(lease.lane) { lanes.append(lease.lane) }
        for lane in lanes {
            let ours = open.filter { $0.lane == lane }
            let candidates = ours.map { lease in
                let use = uses.first { $0.campaign == lease.facts.number && $0.lane == lane }
                return Window.Candidate(
                    campaign: lease.facts.number,
                    app: lease.facts.app,
                    unclaimed: use?.firstAttempts ?? 0,
                    remaining: lease.unplannedChunks,
                    waitingRetries: use?.retries ?? 0
                )
            }
            // Turns are given away ahead: a high rate would fill the window and keep everybody else out.
            let unclaimed = uses.filter { $0.lane == lane && !$0.isPaced }.reduce(0) { $0 + $1.firstAttempts }
            // A shard with a turn must not queue behind a long window.
            let isShared = leases.contains { $0.lane == lane && $0.isPaced }
            let size = Window.size(
                consumers: consumers,
                prefetch: isShared ? Window.prefetchBesidePaced : prefetch
            )
            let free = max(0, size - unclaimed)
            cadence.saw(free: free, of: size)
            let shares = Window.share(free, among: candidates)
            for lease in ours {
                if let count = shares[lease.facts.number] { add([.cut(lease, shardsMax: count)]) }
            }
        }
    }

    /// Takes the result of `cut`; returns true if these are the campaign's first shards: the ledger has its start
    /// event.
    @discardableResult
    public mutating func cut(_ cut: Cut) -> Bool {
        guard case .cut(let lease, _) = doing, let index = leases.firstIndex(where: { $0.key == lease.key }) else {
            return false
        }
        switch cut {
        case .planned(let count):
            leases[index].unplannedChunks = max(0, leases[index].unplannedChunks - max(1, count))
            guard leases[index].facts.stage == .scheduled else { return false }
            leases[index].facts.stage = .sending
            return true
        case .nothing: leases[index].unplannedChunks = 0
        // The guard decides when shards are settled. The last one of this worker's wakes the planner.
        case .guarded: guarded.insert(lease.key)
        }
        return false
    }
}
