public import Campaigns

/// The names of exchanges and queues (design, section 6); no name is written anywhere else.
public enum BrokerNames {
    /// The exchange to which producers publish jobs: topic, routing key = app.
    public static let campaigns = "fanfare.campaigns"
    /// The headers exchange behind `campaigns` that splits urgent jobs from the others.
    public static let campaignsSplit = "fanfare.campaigns.split"
    /// The exchange that gets every job that the split did not take as urgent.
    public static let campaignsBulk = "fanfare.campaigns.bulk"
    /// The exchange of shards for senders: direct, routing key = lane.
    public static let work = "fanfare.work"
    /// The exchange of verdicts and outcomes for whoever binds a queue: topic, routing key = `<app>.<type>`.
    public static let events = "fanfare.events"
    /// The exchange of messages that a person must look at: fanout.
    public static let parked = "fanfare.parked"
    /// The exchange of hints to poll the ledger: fanout.
    public static let control = "fanfare.control"

    /// The exchange of phones' reports, in batches, from the edge to the ledger: fanout.
    public static let tracking = "fanfare.tracking"
    /// The queue of phones' reports.
    public static let trackingQueue = "fanfare.v1.tracking"

    /// The queue of the shared intake.
    public static let campaignsQueue = "fanfare.v1.campaigns"
    /// The queue of the urgent intake.
    public static let urgentCampaignsQueue = "fanfare.v1.campaigns.urgent"
    /// The queue of messages that a person must look at; the intake role moves them into the ledger.
    public static let parkedQueue = "fanfare.v1.parked"

    /// The header by which producers ask for the urgent intake, with the value `urgent` (contract, section 2).
    public static let urgencyHeader = "urgency"

    /// The header in which a quorum queue says how often it has given a message and got it back.
    public static let returnsHeader = "x-delivery-count"

    /// The header with which RabbitMQ until 3.12 keeps the properties of a message that it translates from AMQP 1.0.
    public static let translatedHeader = "x-amqp-1.0-properties"

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

    /// The prefix of the names of a worker's control queues; the rest makes each connection's name unique.
    public static func controlQueuePrefix(worker: String) -> String { "fanfare.v1.control.\(worker)" }
}
