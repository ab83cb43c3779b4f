import Campaigns
import Delivery

/// One provider's devices in a simulated campaign of two providers, each with its own pauses and breaker.
///
/// `outage` affects the first share, `pauseShare` the second; a campaign of one provider is the first share.
enum Share: Int, CaseIterable {
    case first, second
}

extension SimulatedLedger {
    /// Returns the share of a shard: the upper half of a campaign of two providers is the second's.
    func share(_ key: ShardKey) -> Share {
        isMixed && key.chunk >= UInt32(World.shardCount / 2) ? .second : .first
    }

    /// Returns the campaign's facts for a share's shards.
    func facts(of share: Share) -> CampaignFacts {
        guard isMixed, share == .second, broken != .sharesIgnored else { return campaign }
        var facts = campaign
        facts.breaker = .closed(since: nil)
        facts.pausedBy.remove(.credentials)
        facts.pausedBy.formUnion(secondPausedBy)
        facts.isSuspended = isSecondSuspended
        return facts
    }

    /// Returns the campaign's facts for a shard.
    func facts(of key: ShardKey) -> CampaignFacts { facts(of: share(key)) }

    /// The running rows, each with its share's facts of the campaign, as a poll reads them.
    var runsByShare: [ShardKey: CampaignFacts] {
        rows.filter { $0.value.state == .running }.mapValues { facts(of: $0.id.key) }
    }

    /// The campaign as a whole, without the state of single providers.
    var whole: CampaignFacts {
        guard isMixed, broken != .sharesIgnored else { return campaign }
        var facts = campaign
        facts.breaker = .closed(since: nil)
        facts.pausedBy.remove(.credentials)
        return facts
    }

    /// Records that a provider has rejected credentials.
    func credentialsRefused(_ share: Share, isRefused: Bool) {
        switch (share, isRefused) {
        case (.first, true): campaign.pausedBy.insert(.credentials)
        case (.first, false): campaign.pausedBy.remove(.credentials)
        case (.second, true): secondPausedBy.insert(.credentials)
        case (.second, false): secondPausedBy.remove(.credentials)
        }
    }
}
