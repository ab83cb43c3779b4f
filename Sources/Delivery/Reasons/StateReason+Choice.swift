import Campaigns

extension StateReason {
    /// Returns the reasons for a campaign's state; empty if there is nothing to say.
    ///
    /// A live campaign has one when nothing of it goes out, for each provider of it that waits, and for its devices
    /// that are tried again, whatever else goes out.
    public static func all(of facts: StateFacts) -> [StateReason] {
        if let end = facts.end { return reasons(of: end, facts.stage) }
        guard facts.stage.isLive else { return [] }
        if !facts.pausedBy.isEmpty { return [.paused(facts.pausedBy)] }
        let pending = facts.pending
        if pending.total > 0, pending.parked == pending.total { return [.parked] }
        if let upload = facts.awaitedUpload { return [.upload(upload)] }
        guard facts.isAppServed else { return [.noCredentials(app: facts.app, nil)] }
        let isSending = facts.stage == .sending && facts.sendsPushes && pending.total > 0
        guard isSending else { return ofShares(facts) }
        return ofShares(facts) + (facts.isStill ? whileStill(facts) : ofRetries(facts))
    }

    /// Returns the words of several reasons; nil without any.
    public static func text(_ reasons: [StateReason]) -> String? {
        reasons.isEmpty ? nil : reasons.map(\.text).joined(separator: "; ")
    }

    /// Returns the codes of several reasons, each once.
    public static func codes(_ reasons: [StateReason]) -> [String] {
        reasons.flatMap(\.codes).reduce(into: []) { codes, code in
            if !codes.contains(code) { codes.append(code) }
        }
    }

    /// The reasons of single providers, whose problems do not change the campaign's state.
    private static func ofShares(_ facts: StateFacts) -> [StateReason] {
        facts.shares.compactMap { share in
            let provider = share.lane.provider
            guard share.isServed else { return .noCredentials(app: facts.app, provider) }
            return share.pausedBy.isEmpty ? nil : .providerPaused(provider, share.pausedBy)
        }
    }

    /// The reason why devices are tried again; empty if none is.
    private static func ofRetries(_ facts: StateFacts) -> [StateReason] {
        facts.retries.devices > 0 ? [.retry(facts.retries)] : []
    }

    /// The reasons why nothing goes out; empty if the ledger alone cannot tell.
    private static func whileStill(_ facts: StateFacts) -> [StateReason] {
        let outside = outside(facts)
        guard outside.isEmpty else { return outside }
        guard let unplanned = ofUnplanned(facts) else { return [] }
        let pending = facts.pending
        var reasons = unplanned
        let inQueues = pending.queued - facts.waitingForTurn
        if facts.waitingForTurn > 0 { reasons.append(.rate(perSecond: facts.perSecond)) }
        if facts.rate != nil, inQueues > 0 { reasons.append(.queued(inQueues)) }
        if facts.rate != nil, pending.sending > 0 { reasons.append(.unanswered(pending.sending)) }
        reasons += ofRetries(facts)
        let told = facts.shares.reduce(into: Set<AsideReason>()) { $0.formUnion($1.pausedBy) }
        reasons += facts.held.filter { $0.value > 0 && !told.contains($0.key) }.sorted {
            $0.key.rawValue < $1.key.rawValue
        }.map {
            .held($0.key, $0.value)
        }
        if pending.parked > 0 { reasons.append(.parkedDevices(pending.parked)) }
        return reasons
    }

    /// The reasons outside of the campaign.
    private static func outside(_ facts: StateFacts) -> [StateReason] {
        let missing = facts.queues.filter(facts.fleet.missing.contains)
        let idle = facts.workQueues.filter(facts.fleet.idle.contains)
        let found: [HealthProblem?] = [.queuesMissing(missing), .noConsumer(idle)]
        return (facts.fleet.problems + found.compactMap(\.self)).map { .fleet($0) }
    }

    /// The reasons why the devices that are in no shard wait; nil if a planner may be about to cut them.
    private static func ofUnplanned(_ facts: StateFacts) -> [StateReason]? {
        let devices = facts.pending.unplanned
        guard devices > 0 else { return [] }
        if !facts.isReleased { return [.olderCampaign] }
        if let instant = facts.partsOpenAt { return [facts.isQuiet ? .quietHours(instant) : .localTime(instant)] }
        // The guard lets no more of them out before it has decided, and under a rate they are cut as their turns come.
        if facts.held[.guard] != nil || facts.waitingForTurn > 0 { return [] }
        return facts.rate == nil ? nil : [.unplanned(devices)]
    }

    private static func reasons(of end: StateFacts.End, _ stage: CampaignStage) -> [StateReason] {
        if end.isUnfired { return [.neverFired] }
        var reasons: [StateReason] = []
        if let failure = end.failure { reasons.append(.failed(failure)) }
        if stage == .cancelled, let name = end.cancelledBy { reasons.append(.cancelled(by: name)) }
        if end.counts.superseded > 0 {
            reasons.append(.superseded(by: end.supersededBy, devices: end.counts.superseded))
        }
        if end.counts.expired > 0 {
            reasons.append(
                .expired(
                    devices: end.counts.expired,
                    at: end.expiresAt,
                    retried: end.expired,
                    pausedBy: end.pausedBy
                )
            )
        }
        return reasons
    }
}

extension StateFacts {
    /// The work queues of its pending devices.
    fileprivate var workQueues: [String] { shares.map { BrokerNames.workQueue($0.lane) } }

    /// The queues that its pending devices need: those of its lanes, and the rungs' when some wait for another try.
    fileprivate var queues: [String] {
        guard retries.devices > 0 else { return workQueues }
        let rungs = Rung.allCases.flatMap { rung in RungSide.allCases.map { BrokerNames.retryQueue(rung, $0) } }
        return workQueues + rungs
    }
}
