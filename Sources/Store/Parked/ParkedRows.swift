public import Campaigns
public import Delivery

/// The result of a person's decision about a parked message.
public enum ParkedResult: Sendable, Equatable {
    /// The message's devices are with the planner again.
    case publishedAnew
    /// The message's devices ended with this outcome.
    case ended(Outcome)
    /// No device waited for the message; it is removed.
    case removed
    /// A producer's job, unknown to the ledger: the caller publishes it, waits for the confirm, then calls
    /// `removeParked`.
    case job
    /// Nothing was changed: the ledger does not know the shard, or the message is unreadable.
    case kept(Obstacle)
    /// The message does not exist.
    case missing

    /// A reason why a message cannot be replayed.
    public enum Obstacle: String, Sendable {
        /// The ledger has no such shard.
        case unknownShard
        /// The message is neither a job nor a shard that this version can read.
        case unreadable
    }
}

extension LedgerTransaction {
    /// Parks a row for a person's decision, with an entry in the list of parked messages; no worker runs it from now
    /// on.
    ///
    /// The entry's message is encoded from the row, so that it equals the delivered one.
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

    /// Stores a message from the parked queue; if it was the message of a row, the row is parked too.
    ///
    /// A message whose row has ended meanwhile is not stored, because nothing is left to decide. `shard` is the decoded
    /// message, if it is readable.
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

    /// Carries out a person's decision about a parked message, in one transaction (use `synced`).
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

    /// Leaves a row to its planner, which publishes it when the campaign may run.
    private func handToPlanner(_ record: ShardRecord, now: Timestamp) throws(LedgerError) {
        try move(record.handedToPlanner(), since: now)
        try bumpRevision()
    }
}

extension LedgerReader {
    /// Returns the result that `carryOut` would have.
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
    /// True if the message came from a queue of jobs.
    public var isJob: Bool {
        queue == BrokerNames.campaignsQueue || queue == BrokerNames.urgentCampaignsQueue
    }

    /// The message as a shard; nil if it is not a shard that this version can read.
    var shard: Shard? {
        guard !isJob else { return nil }
        do throws(ShardError) { return try Shard(encoded: body) } catch { return nil }
    }
}

extension ParkedOrder {
    /// The result for a message that is not a readable shard.
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
