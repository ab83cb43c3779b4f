import Campaigns
import Delivery

/// The devices of one provider in a simulated campaign that has two: each with its own pauses and breaker.
///
/// `outage` is the first one's trouble, `pauseShare` the second one's; a campaign of one provider is the first's.
enum Share: Int, CaseIterable {
    case first, second
}

extension SimulatedLedger {
    /// Whose devices a shard has: the upper half of a campaign of two providers is the second's.
    func share(_ key: ShardKey) -> Share {
        isMixed && key.chunk >= UInt32(World.shardCount / 2) ? .second : .first
    }

    /// The campaign as a share's shards meet it.
    func facts(of share: Share) -> CampaignFacts {
        guard isMixed, share == .second, broken != .sharesIgnored else { return campaign }
        var facts = campaign
        facts.breaker = .closed(since: nil)
        facts.pausedBy.remove(.credentials)
        facts.pausedBy.formUnion(secondPausedBy)
        facts.isSuspended = isSecondSuspended
        return facts
    }

    /// The same of a shard.
    func facts(of key: ShardKey) -> CampaignFacts { facts(of: share(key)) }

    /// The rows that run, each with the campaign as it meets it: what a poll reads.
    var runsByShare: [ShardKey: CampaignFacts] {
        rows.filter { $0.value.state == .running }.mapValues { facts(of: $0.id.key) }
    }

    /// The campaign as a whole: what is one provider's own is not its.
    var whole: CampaignFacts {
        guard isMixed, broken != .sharesIgnored else { return campaign }
        var facts = campaign
        facts.breaker = .closed(since: nil)
        facts.pausedBy.remove(.credentials)
        return facts
    }

    /// What a provider has refused.
    func credentialsRefused(_ share: Share, isRefused: Bool) {
        switch (share, isRefused) {
        case (.first, true): campaign.pausedBy.insert(.credentials)
        case (.first, false): campaign.pausedBy.remove(.credentials)
        case (.second, true): secondPausedBy.insert(.credentials)
        case (.second, false): secondPausedBy.remove(.credentials)
        }
    }
}
