/// The events that only apps get which ask for them, because there is one for each shard (contract, section 2).
public struct AskedEvents: OptionSet, Hashable, Sendable {
    /// A bit for each event, as the ledger keeps them.
    public let rawValue: UInt8

    /// Events by their bits; bits of a later version are kept.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `shard.settled`: how the devices of a shard ended.
    public static let shardSettled = AskedEvents(rawValue: 1)
    /// `device.invalid`: the dead tokens of a shard.
    public static let deviceInvalid = AskedEvents(rawValue: 2)

    private static let kinds: [(CampaignEvent.Kind, AskedEvents)] = [
        (.shardSettled, .shardSettled), (.deviceInvalid, .deviceInvalid),
    ]

    /// The names that may be asked for, as `apps.yaml` has them.
    public static let names = kinds.map(\.0.rawValue)

    /// The event of a name; nil for one that cannot be asked for.
    public init?(name: String) {
        guard let known = Self.kinds.first(where: { $0.0.rawValue == name }) else { return nil }
        self = known.1
    }
}
