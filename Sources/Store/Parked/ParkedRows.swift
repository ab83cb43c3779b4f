public import Campaigns
public import Delivery

/// What became of a parked message when a person decided about it.
public enum ParkedResult: Sendable, Equatable {
    /// Its devices are on their way to the planner again.
    case publishedAnew
    /// Its devices have ended so.
    case ended(Outcome)
    /// No device waited for it; it is removed.
    case removed
    /// It is a producer's job, which the ledger knows nothing of: publish it, confirmed, then `removeParked`.
    case job
    /// Nothing was changed: the ledger does not know the shard, or the message cannot be read.
    case kept(Obstacle)
    /// There is no such message.
    case missing

    /// Why a message cannot be replayed.
    public enum Obstacle: String, Sendable {
        /// The ledger has no such shard.
        case unknownShard
        /// It is no shard that this version can read, and no job.
        case unreadable
    }
}

extension LedgerTransaction {
    /// Lets a row wait for a person, with an entry that shows it in the list; nobody runs it from now on.
    ///
    /// The entry's message is what the ledger makes of the row, so that it says the same as what was delivered.
    func park(
        _ record: ShardRecord,
        of campaign: CampaignFacts?,
        reason: String,
        now: Timestamp
    ) throws(LedgerError) {
        try move(record, since: now)
        guard let campaign, let shard = try reader.shardToPublish(record.id.key) else { return }
        let body: [UInt8]
        do { body = try shard.body() } catch { throw .failed("shard \(record.id) cannot be encoded: \(error)") }
        try park(
            ParkedMessage(
                queue: BrokerNames.workQueue(shard.lane),
                reason: reason,
                app: campaign.app,
                campaign: campaign.id,
                devices: record.count,
                body: body,
                headers: JSONValue.object(["message_id": .string(shard.messageID)]).text,
                at: now
            )
        )
    }

    /// Enters a message that came from the parked queue; when it was the message of a row, the row waits with it.
    ///
    /// One whose row has ended meanwhile is not entered: there is nothing to decide. `shard` is what the message says, if
    /// it can be read.
    public func park(_ message: ParkedMessage, shard: Shard?, now: Timestamp) throws(LedgerError) {
        guard let shard else {
            try park(message)
            return
        }
        let content = Claim.Content(shard)
        let (row, campaign) = (try reader.shard(shard.id.key), try reader.campaign(shard.id.key.campaign))
        if ParkedShard.isOver(generation: shard.generation, content: content, shard: row, campaign: campaign) { return }
        try park(message)
        let isWaiting = ParkedShard.isLeftWaiting(
            generation: shard.generation,
            content: content,
            shard: row,
            campaign: campaign
        )
        if isWaiting, let row { try move(row.parked(), since: now) }
    }

    /// Does what a person decided about a parked message, in one transaction (use `synced`).
    public func carryOut(_ order: ParkedOrder, _ id: Int64, now: Timestamp) throws(LedgerError) -> ParkedResult {
        guard let message = try reader.parked(id: id) else { return .missing }
        guard let shard = message.shard else {
            let result = order.result(ofUnreadable: message)
            if result == .removed { _ = try removeParked(message) }
            return result
        }
        let (row, decision) = try reader.decide(order, shard, now: now)
        guard decision != .unknown else { return .kept(.unknownShard) }
        _ = try removeParked(message)
        if let row {
            switch decision {
            case .unknown, .superseded: break
            case .end(let outcome): try end(row, outcome, of: try reader.campaign(of: row), now: now)
            case .giveUp: try end(row, .failed, reason: "Parked", of: try reader.campaign(of: row), now: now)
            case .publishAnew: try handToPlanner(row, now: now)
            }
            if decision.endsDevices { _ = try completeIfDone(campaign: row.id.key.campaign, now: now) }
        }
        return ParkedResult(decision)
    }

    /// A row that waits for nothing but its planner, which publishes it when the campaign may run.
    private func handToPlanner(_ record: ShardRecord, now: Timestamp) throws(LedgerError) {
        try move(record.handedToPlanner(), since: now)
        try bumpRevision()
    }
}

extension LedgerReader {
    /// What `carryOut` would do.
    public func foresee(_ order: ParkedOrder, _ id: Int64, now: Timestamp) throws(LedgerError) -> ParkedResult {
        guard let message = try parked(id: id) else { return .missing }
        guard let shard = message.shard else { return order.result(ofUnreadable: message) }
        return ParkedResult(try decide(order, shard, now: now).decision)
    }

    fileprivate func decide(
        _ order: ParkedOrder,
        _ message: Shard,
        now: Timestamp
    ) throws(LedgerError) -> (row: ShardRecord?, decision: ParkedShard.Decision) {
        let key = message.id.key
        let row = try shard(key)
        let decision = ParkedShard.decide(
            order,
            generation: message.generation,
            content: Claim.Content(message),
            shard: row,
            campaign: try campaign(key.campaign),
            now: now
        )
        return (row, decision)
    }
}

extension ParkedMessage {
    /// Whether it came from a queue of jobs.
    public var isJob: Bool {
        queue == BrokerNames.campaignsQueue || queue == BrokerNames.urgentCampaignsQueue
    }

    /// The shard that it is; nil when it is none that this version can read.
    var shard: Shard? {
        guard !isJob else { return nil }
        do throws(ShardError) { return try Shard(encoded: body) } catch { return nil }
    }
}

extension ParkedOrder {
    /// What becomes of a message that is no shard.
    fileprivate func result(ofUnreadable message: ParkedMessage) -> ParkedResult {
        switch self {
        case .discard: .removed
        case .replay: message.isJob ? .job : .kept(.unreadable)
        }
    }
}

extension ParkedShard.Decision {
    fileprivate var endsDevices: Bool {
        switch self {
        case .end, .giveUp: true
        case .unknown, .superseded, .publishAnew: false
        }
    }
}

extension ParkedResult {
    fileprivate init(_ decision: ParkedShard.Decision) {
        self =
            switch decision {
            case .unknown: .kept(.unknownShard)
            case .superseded: .removed
            case .end(let outcome): .ended(outcome)
            case .giveUp: .ended(.failed)
            case .publishAnew: .publishedAnew
            }
    }
}
