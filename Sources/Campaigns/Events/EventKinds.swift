/// A choice of events, as a webhook has it: one bit for each kind.
public struct EventKinds: OptionSet, Hashable, Sendable {
    /// A bit for each kind, as the ledger keeps them.
    public let rawValue: Int64

    /// Kinds by their bits; bits of a later version are kept.
    public init(rawValue: Int64) { self.rawValue = rawValue }

    /// One kind.
    public init(_ kind: CampaignEvent.Kind) { rawValue = 1 << Self.bit(of: kind) }

    /// All that happen once or a few times in a campaign's or an app's life; those of shards have to be asked for.
    public static let ofLife = CampaignEvent.Kind.allCases.reduce(into: EventKinds()) { kinds, kind in
        if AskedEvents(name: kind.rawValue) == nil { kinds.insert(EventKinds(kind)) }
    }

    /// The kinds, in the order of their declaration.
    public var kinds: [CampaignEvent.Kind] { CampaignEvent.Kind.allCases.filter { contains(EventKinds($0)) } }

    /// Those of shards among them: what an app with such a webhook asks for.
    public var asked: AskedEvents {
        kinds.reduce(into: AskedEvents()) { asked, kind in
            if let event = AskedEvents(name: kind.rawValue) { asked.insert(event) }
        }
    }

    /// Never changes: ledgers have it.
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
