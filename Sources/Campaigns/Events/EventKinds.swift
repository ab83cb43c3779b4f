/// A set of events, as a webhook chooses them: one bit for each kind.
public struct EventKinds: OptionSet, Hashable, Sendable {
    /// A bit for each kind, as in the ledger.
    public let rawValue: Int64

    /// Creates a set from its bits; keeps bits of a later version.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// Creates a set of one kind.
    public init(_ kind: CampaignEvent.Kind) { rawValue = 1 << Self.bit(of: kind) }

    /// The kinds that happen once or a few times to a campaign or an app; those of shards must be asked for.
    public static let ofLife = CampaignEvent.Kind.allCases.reduce(into: EventKinds()) { kinds, kind in
        if AskedEvents(name: kind.rawValue) == nil { kinds.insert(EventKinds(kind)) }
    }

    /// The kinds, in the order of declaration.
    public var kinds: [CampaignEvent.Kind] { CampaignEvent.Kind.allCases.filter { contains(EventKinds($0)) } }

    /// The kinds of shards among them, which an app with such a webhook asks for.
    public var asked: AskedEvents {
        kinds.reduce(into: AskedEvents()) { asked, kind in
            if let event = AskedEvents(name: kind.rawValue) { asked.insert(event) }
        }
    }

    /// Returns a kind's bit, which never changes, because ledgers store it.
    private static func bit(of kind: CampaignEvent.Kind) -> Int64 {
        switch kind {
        case .accepted: 0
        case .refused: 1
        case .started: 2
        case .paused: 3
        case .resumed: 4
        case .completed: 5
        case .cancelled: 6
        case .suspended: 7
        case .takenUp: 8
        case .shardSettled: 9
        case .deviceInvalid: 10
        }
    }
}
