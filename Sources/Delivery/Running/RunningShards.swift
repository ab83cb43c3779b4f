public import Campaigns

/// A message that the broker handed to this worker and that is not acked.
public struct ShardDelivery: Hashable, Sendable {
    /// Counts the worker's consuming connections; an ack works only on the one that delivered.
    public var connection: UInt64
    /// The AMQP delivery tag.
    public var tag: UInt64
    /// The generation in the message.
    public var generation: UInt32
    /// The broker's flag: true after a connection or the broker was lost.
    public var redelivered: Bool
    /// The queue of the campaign's message that is the lease; nil for a shard's own message.
    public var campaignQueue: String?

    /// A delivery.
    public init(
        connection: UInt64,
        tag: UInt64,
        generation: UInt32,
        redelivered: Bool,
        campaignQueue: String? = nil
    ) {
        self.connection = connection
        self.tag = tag
        self.generation = generation
        self.redelivered = redelivered
        self.campaignQueue = campaignQueue
    }
}

/// The shards that one worker process claims and runs: tells a delivery that came back from a second copy.
///
/// Confined to the worker's control loop; no clock of its own. The rule that keeps every shard alive: the message by
/// which the row was last claimed is unacked at its owner, or in the queue and comes back `redelivered`. So a delivery
/// is only acked as a second copy while this process holds another that is live, or lost one that will come back.
public struct RunningShards: Sendable {
    /// What to do with a delivery.
    public enum Arrival: Equatable, Sendable {
        /// Ask the ledger, with `adopting` in the claim; a run of the shard that there still is (it is adopted or
        /// replaced, see `concluded`) opens no stream until the answer is there: `requestStop(.leaseLost)`.
        case claim(adopting: UInt32?)
        /// A claim of the same shard is out: what to do follows from its conclusion.
        case wait
        /// Ack.
        case secondCopy
        /// Its connection is gone: nothing to do, the broker has the message again.
        case gone
    }

    /// What follows from a claim's answer.
    public enum Conclusion: Equatable, Sendable {
        /// Start a run. One of an older epoch that there still is, is to be forgotten, and its delivery acked.
        case start(replaces: ShardDelivery?)
        /// The run that there is goes on: `ShardRun.adopted(epoch:isLeaseLost:)`.
        case adopt
        /// Not ours to run: ack this delivery after what the decision asks for.
        case ack(ShardDelivery)
        /// The claim waits for a former run: hold this delivery, unacked (`HeldDeliveries`).
        case hold(ShardDelivery)
        /// It was granted, but the connection was lost meanwhile: give the row of this epoch up, or whoever gets the
        /// message would wait for a run that there is not.
        case giveUp(epoch: UInt32)
        /// The connection was lost meanwhile: nothing to ack, nothing to start; the message comes back.
        case gone
    }

    private struct Run {
        var epoch: UInt32
        var delivery: ShardDelivery
        var since: Timestamp
        /// Changes of the campaign's end that it knows of.
        var endChanges: UInt32 = 0
    }

    private struct Entry {
        var run: Run?
        var claiming: ShardDelivery?
        var waiting: [ShardDelivery] = []
        /// What a poll said while a claim was out.
        var stop: ShardRun.Stop?
    }

    private var entries: [ShardKey: Entry] = [:]
    private var connection: UInt64?

    /// No shard, no connection.
    public init() {}

    /// A consuming connection is up; its number is higher than those before.
    public mutating func connected(_ connection: UInt64) {
        self.connection = connection
    }

    /// The consuming connection is gone, and with it every lease.
    ///
    /// Returns the shards whose runs stop opening streams.
    public mutating func disconnected() -> [ShardKey] {
        connection = nil
        for key in entries.keys { entries[key]?.waiting = [] }
        return runningKeys
    }

    /// A run that needs no claim: the transaction that accepted its urgent campaign claimed it, and the campaign's
    /// message is its lease.
    ///
    /// False when that message's connection is gone meanwhile: nothing is to start.
    public mutating func began(_ key: ShardKey, epoch: UInt32, _ delivery: ShardDelivery, now: Timestamp) -> Bool {
        guard isLive(delivery), entries[key] == nil else { return false }
        entries[key] = Entry(run: Run(epoch: epoch, delivery: delivery, since: now))
        return true
    }

    /// Decides what to do with a delivery.
    public mutating func arrived(_ key: ShardKey, _ delivery: ShardDelivery) -> Arrival {
        guard isLive(delivery) else { return .gone }
        var entry = entries.removeValue(forKey: key) ?? Entry()
        defer { entries[key] = entry }
        if entry.claiming != nil {
            entry.waiting.append(delivery)
            return .wait
        }
        guard let run = entry.run else {
            entry.claiming = delivery
            return .claim(adopting: nil)
        }
        if delivery.generation < run.delivery.generation { return .secondCopy }
        if delivery.generation > run.delivery.generation {
            // The row was set aside and published anew: whatever we still run was fenced by that.
            entry.claiming = delivery
            return .claim(adopting: nil)
        }
        if isLive(run.delivery) || !delivery.redelivered { return .secondCopy }
        entry.claiming = delivery
        return .claim(adopting: run.epoch)
    }

    /// The ledger answered the claim of a shard: `epoch` is the new one when the decision was `run`, else nil; `waits` is
    /// whether it was `waits`.
    ///
    /// `rest` are the deliveries that waited, each with what to do now. `endChanges`: the campaign's, as of the claim; a
    /// run that is adopted goes on with what it began with.
    public mutating func concluded(
        _ key: ShardKey,
        epoch: UInt32?,
        waits: Bool = false,
        endChanges: UInt32 = 0,
        now: Timestamp
    ) -> (Conclusion, rest: [(ShardDelivery, Arrival)]) {
        guard var entry = entries.removeValue(forKey: key), let delivery = entry.claiming else {
            preconditionFailure("no claim of \(key) is out")
        }
        let waiting = entry.waiting
        var conclusion = !isLive(delivery) ? Conclusion.gone : waits ? .hold(delivery) : .ack(delivery)
        if let epoch {
            if let run = entry.run, run.epoch &+ 1 == epoch {
                entry.run = Run(epoch: epoch, delivery: delivery, since: run.since, endChanges: run.endChanges)
                conclusion = .adopt
            } else if isLive(delivery) {
                conclusion = .start(replaces: entry.run.map(\.delivery).flatMap { isLive($0) ? $0 : nil })
                entry.run = Run(epoch: epoch, delivery: delivery, since: now, endChanges: endChanges)
            } else {
                conclusion = .giveUp(epoch: epoch)
            }
        }
        entry.claiming = nil
        entry.waiting = []
        if entry.run != nil { entries[key] = entry }
        return (conclusion, waiting.map { ($0, arrived(key, $0)) })
    }

    /// A run is over: settled, set aside, abandoned, or its writes were refused because another claimed the shard.
    ///
    /// Returns the delivery to ack; nil when it is lost, or the run of this epoch was replaced. (Refused writes: the
    /// other's own copy is unacked at the other, so ours is one too many.)
    public mutating func ended(_ key: ShardKey, epoch: UInt32) -> ShardDelivery? {
        guard let entry = entries[key], let run = entry.run, run.epoch == epoch else { return nil }
        if entry.claiming == nil { entries[key] = nil } else { entries[key]?.run = nil }
        return isLive(run.delivery) ? run.delivery : nil
    }

    /// Whether a claim that may adopt the shard's run is out: nothing of the run is handed to the ledger until its
    /// answer, because it would come under an epoch that is about to be the old one.
    public func isAdopting(_ key: ShardKey) -> Bool {
        entries[key].map { $0.run != nil && $0.claiming != nil } ?? false
    }

    /// Whether the run's lease is gone.
    public func isLeaseLost(_ key: ShardKey) -> Bool {
        guard let run = entries[key]?.run else { return true }
        return !isLive(run.delivery)
    }

    /// The shards that run, in order.
    public var runningKeys: [ShardKey] {
        entries.filter { $0.value.run != nil }.keys.sorted()
    }

    /// Whether a shard runs or is being claimed.
    public func contains(_ key: ShardKey) -> Bool { entries[key] != nil }

    /// Shards that run or are being claimed.
    public var count: Int { entries.count }

    /// The campaigns that run here or are being claimed: what the poll of the ledger asks for (every 500 ms; design,
    /// section 7).
    public var campaigns: Set<UInt32> {
        Set(entries.keys.map(\.campaign))
    }

    /// What a poll's answer stops: cancelled, failed and expired campaigns end, paused ones are set aside, and so are
    /// shards whose time zone has quiet hours; those that got another end are handed over, so that whoever claims them
    /// next has it.
    ///
    /// `shares`: of campaigns of several providers each shard that a worker runs, with the campaign as it meets it.
    ///
    /// A claim that is out may have been granted before the change and answered after this poll: ask `startStop` when
    /// its run starts.
    public mutating func stops(
        campaigns facts: [UInt32: CampaignFacts],
        shares: [ShardKey: CampaignFacts] = [:],
        quiet: Set<ShardKey> = [],
        now: Timestamp
    ) -> [(ShardKey, ShardRun.Stop)] {
        var stops: [(ShardKey, ShardRun.Stop)] = []
        for (key, entry) in entries {
            guard let campaign = shares[key] ?? facts[key.campaign] else { continue }
            let quietStop = quiet.contains(key) ? ShardRun.Stop.setAside(.quiet) : nil
            if let stop = campaign.stop(key, at: now) ?? quietStop {
                if entry.claiming != nil { entries[key]?.stop = stop }
                if entry.run != nil { stops.append((key, stop)) }
            } else if let run = entry.run, run.endChanges < campaign.endChanges {
                stops.append((key, .setAside(.handOver)))
            }
        }
        return stops.sorted { $0.0 < $1.0 }
    }

    /// What a poll said while the claim was out from which this run starts: stop it with that before its first stream.
    public mutating func startStop(_ key: ShardKey) -> ShardRun.Stop? {
        defer { entries[key]?.stop = nil }
        return entries[key]?.stop
    }

    /// The shards that have been held for this long (five minutes; design, section 7) and are to be handed over.
    public func held(for duration: Duration, now: Timestamp) -> [ShardKey] {
        runningKeys.filter { key in
            guard let run = entries[key]?.run else { return false }
            return run.since.advanced(by: duration) <= now
        }
    }

    private func isLive(_ delivery: ShardDelivery) -> Bool {
        delivery.connection == connection
    }
}

extension CampaignFacts {
    fileprivate func stop(_ key: ShardKey, at now: Timestamp) -> ShardRun.Stop? {
        ending(at: now).map { .end($0) } ?? asideReason(of: key).map { .setAside($0) }
    }
}
