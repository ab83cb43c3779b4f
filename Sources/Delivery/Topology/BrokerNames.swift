public import Campaigns

/// The names of exchanges and queues (design, section 6); no name is written anywhere else.
public enum BrokerNames {
    /// Producers publish jobs here: topic, routing key = app.
    public static let campaigns = "fanfare.campaigns"
    /// Splits urgent jobs from the others: a headers exchange behind `campaigns`.
    public static let campaignsSplit = "fanfare.campaigns.split"
    /// Gets every job that the split did not take for urgent.
    public static let campaignsBulk = "fanfare.campaigns.bulk"
    /// Shards for senders: direct, routing key = lane.
    public static let work = "fanfare.work"
    /// Verdicts and outcomes for whoever binds a queue: topic, routing key = `<app>.<type>`.
    public static let events = "fanfare.events"
    /// What a person must look at: fanout.
    public static let parked = "fanfare.parked"
    /// Hints to look at the ledger: fanout.
    public static let control = "fanfare.control"

    /// What phones say, from the edge to the ledger, in batches: fanout.
    public static let tracking = "fanfare.tracking"
    /// The queue of what phones say.
    public static let trackingQueue = "fanfare.v1.tracking"

    /// The queue of the shared intake.
    public static let campaignsQueue = "fanfare.v1.campaigns"
    /// The queue of the urgent intake.
    public static let urgentCampaignsQueue = "fanfare.v1.campaigns.urgent"
    /// The queue of what a person must look at; the intake role moves it into the ledger.
    public static let parkedQueue = "fanfare.v1.parked"

    /// The header by which producers ask for the urgent intake, with the value `urgent` (contract, section 2).
    public static let urgencyHeader = "urgency"

    /// The work queue of a lane.
    public static func workQueue(_ lane: Lane) -> String { "fanfare.v1.work.\(lane)" }

    /// The exchange of a rung's side; a shard is published there with its lane as the routing key.
    public static func retryExchange(_ rung: Rung, _ side: RungSide) -> String {
        "fanfare.retry.\(rung.name).\(side.rawValue)"
    }

    /// The queue of a rung's side.
    public static func retryQueue(_ rung: Rung, _ side: RungSide) -> String {
        "fanfare.v1.retry.\(rung.name).\(side.rawValue)"
    }

    /// What the names of a worker's own control queues begin with; the rest makes each connection's unique.
    public static func controlQueuePrefix(worker: String) -> String { "fanfare.v1.control.\(worker)" }
}

/// A rung's two waits; choosing one of them at random spreads a wave of retries.
public enum RungSide: String, Sendable, CaseIterable {
    /// Waits the rung's time.
    case a
    /// Waits a quarter longer; never less, because `Retry-After` is a floor.
    case b

    /// How long a shard waits on this side of a rung.
    public func delay(of rung: Rung) -> Duration {
        switch self {
        case .a: rung.delay
        case .b: rung.delay * 5 / 4
        }
    }
}
