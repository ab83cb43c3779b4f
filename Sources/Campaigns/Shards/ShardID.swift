/// The key of a shard's row in the ledger: integers, so that neighbors share pages.
public struct ShardKey: Hashable, Comparable, Sendable {
    /// The campaign's number in the ledger.
    public var campaign: UInt32
    /// The part of the campaign.
    public var part: UInt32
    /// The part of the devices whose tokens a provider once rejected: sent to last, and on a connection of their own.
    public static let suspectPart: UInt32 = 1

    /// The number of the planned shard in its part, from 0.
    public var ordinal: UInt32
    /// The number of the retry shard among all descendants of a planned shard, from 1; 0 for the planned shard itself.
    public var child: UInt32

    /// Creates a key.
    public init(campaign: UInt32, part: UInt32, ordinal: UInt32, child: UInt32 = 0) {
        self.campaign = campaign
        self.part = part
        self.ordinal = ordinal
        self.child = child
    }

    /// Orders keys by campaign, part, ordinal and child.
    public static func < (left: ShardKey, right: ShardKey) -> Bool {
        (left.campaign, left.part, left.ordinal, left.child) < (right.campaign, right.part, right.ordinal, right.child)
    }
}

/// A shard's identity as text (design, section 5): `<campaign>.<part>.<ordinal>`, for a retry shard + its path.
///
/// Each retry appends `.<rung>a<attempt>` to its parent's id. A path that would exceed `pathMax` becomes a hash:
/// only the campaign's end limits uncharged retries, and an AMQP `message_id` has at most 255 bytes.
public struct ShardID: Hashable, Sendable, CustomStringConvertible {
    /// The maximum length of a path, in bytes.
    public static let pathMax = 128

    /// The key in the ledger.
    public var key: ShardKey
    /// The steps from the planned shard to this one, for example `.5sa2.30sa3`; empty for a planned shard.
    public var path: String

    /// Creates an id.
    public init(key: ShardKey, path: String = "") {
        self.key = key
        self.path = path
    }

    /// The text in logs and, with `#` and the generation, in `message_id`.
    public var description: String {
        "\(key.campaign).\(key.part).\(key.ordinal)\(path)"
    }

    /// Returns the `message_id` of a publish; a repetition for lack of a confirm keeps it.
    public func messageID(generation: UInt32) -> String {
        "\(self)#\(generation)"
    }

    /// Returns the path of a retry shard; a parent has at most one per rung and attempt.
    public func childPath(rung: Rung, attempt: UInt32) -> String {
        path(with: ".\(rung.name)a\(attempt)")
    }

    /// The path of the shard with the devices that the guard held back; a parent has at most one.
    public var heldPath: String { path(with: ".held") }

    private func path(with step: String) -> String {
        guard path.utf8.count + step.utf8.count > Self.pathMax else { return path + step }
        return ".~" + String(FNV1a(path.utf8).bits, radix: 16) + step
    }
}

/// Provider × urgency, which names a work queue (`fanfare.v1.work.<lane>`) and is the routing key of its shards.
public struct Lane: Hashable, Sendable, CustomStringConvertible {
    /// The provider.
    public var provider: ProviderName
    /// The urgency; urgent shards never wait behind bulk.
    public var urgency: Urgency

    /// Creates a lane.
    public init(provider: ProviderName, urgency: Urgency) {
        self.provider = provider
        self.urgency = urgency
    }

    /// The name, for example `apns.bulk`.
    public var description: String { "\(provider.rawValue).\(urgency.rawValue)" }
}
