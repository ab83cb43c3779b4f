/// The events that are sent only to apps that ask for them, because there is one per shard (contract, section 2).
public struct AskedEvents: OptionSet, Hashable, Sendable {
    /// A bit for each event, as in the ledger.
    public let rawValue: UInt8

    /// Creates a set from its bits; keeps bits of a later version.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// `shard.settled`: the outcomes of a shard's devices.
    public static let shardSettled = AskedEvents(rawValue: 1)
    /// `device.invalid`: the dead tokens of a shard.
    public static let deviceInvalid = AskedEvents(rawValue: 2)

    private static let kinds: [(CampaignEvent.Kind, AskedEvents)] = [
        (.shardSettled, .shardSettled), (.deviceInvalid, .deviceInvalid),
    ]

    /// The names that an app may ask for in `apps.yaml`.
    public static let names = kinds.map(\.0.rawValue)

    /// Creates the event with a name; nil if an app cannot ask for it.
    public init?(name: String) {
        guard let known = Self.kinds.first(where: { $0.0.rawValue == name }) else { return nil }
        self = known.1
    }
}
