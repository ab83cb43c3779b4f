/// The key of a shard's row in the ledger: integers, so that neighbours share pages.
public struct ShardKey: Hashable, Comparable, Sendable {
    /// The campaign's number in the ledger.
    public var campaign: UInt32
    /// The part of the campaign.
    public var part: UInt32
    /// The part of the devices whose tokens were called wrong once: sent to last, and on a connection of their own.
    public static let suspectPart: UInt32 = 1

    /// Counts the planned shards of a part from 0.
    public var ordinal: UInt32
    /// 0 for a planned shard; its retry shards, theirs too, count from 1.
    public var child: UInt32

    /// A key.
    public init(campaign: UInt32, part: UInt32, ordinal: UInt32, child: UInt32 = 0) {
        self.campaign = campaign
        self.part = part
        self.ordinal = ordinal
        self.child = child
    }

    /// By campaign, part, ordinal, child.
    public static func < (left: ShardKey, right: ShardKey) -> Bool {
        (left.campaign, left.part, left.ordinal, left.child) < (right.campaign, right.part, right.ordinal, right.child)
    }
}

/// A shard's identity in words (design, section 5): `<campaign>.<part>.<ordinal>`, and for a retry shard its parent's
/// id + `.<rung>a<attempt>`.
///
/// A path that would grow beyond `pathMax` is folded into a hash of itself: retries that are not charged have no end
/// but the campaign's, and an AMQP `message_id` has 255 bytes.
public struct ShardID: Hashable, Sendable, CustomStringConvertible {
    /// Bytes of a path at most.
    public static let pathMax = 128

    /// The key in the ledger.
    public var key: ShardKey
    /// The steps from the planned shard to this one, for example `.5sa2.30sa3`; empty for a planned shard.
    public var path: String

    /// An id.
    public init(key: ShardKey, path: String = "") {
        self.key = key
        self.path = path
    }

    /// The text that stands in logs and, with `#` and the generation, in `message_id`.
    public var description: String {
        "\(key.campaign).\(key.part).\(key.ordinal)\(path)"
    }

    /// The `message_id` of a publish: the same publish repeated for want of a confirm keeps it.
    public func messageID(generation: UInt32) -> String {
        "\(self)#\(generation)"
    }

    /// The path of a retry shard of this one: a parent has at most one per rung and attempt.
    public func childPath(rung: Rung, attempt: UInt32) -> String {
        path(with: ".\(rung.name)a\(attempt)")
    }

    /// The path of the shard of those devices of this one that the guard held back: a parent has at most one.
    public var heldPath: String { path(with: ".held") }

    private func path(with step: String) -> String {
        guard path.utf8.count + step.utf8.count > Self.pathMax else { return path + step }
        var hash: UInt64 = 0xcbf2_9ce4_8422_2325  // FNV-1a
        for byte in path.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }
        return ".~" + String(hash, radix: 16) + step
    }
}

/// Provider × urgency: what a work queue holds (`fanfare.v1.work.<lane>`) and the routing key of its shards.
public struct Lane: Hashable, Sendable, CustomStringConvertible {
    /// Who delivers.
    public var provider: ProviderName
    /// Urgent never waits behind bulk.
    public var urgency: Urgency

    /// A lane.
    public init(provider: ProviderName, urgency: Urgency) {
        self.provider = provider
        self.urgency = urgency
    }

    /// For example `apns.bulk`.
    public var description: String { "\(provider.rawValue).\(urgency.rawValue)" }
}
