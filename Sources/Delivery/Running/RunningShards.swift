public import Campaigns

/// A message that the broker handed to this worker and that is not acked.
public struct ShardDelivery: Hashable, Sendable {
    /// The number of the worker's consuming connection; an ack works only on the one that delivered.
    public var connection: UInt64
    /// The AMQP delivery tag.
    public var tag: UInt64
    /// The message's generation.
    public var generation: UInt32
    /// The broker's flag: true after a connection or the broker was lost.
    public var redelivered: Bool
    /// The queue of the campaign's message if that is the lease; nil for a shard's own message.
    public var campaignQueue: String?
    /// The number of times that the queue has got the message back; it parks the message at its delivery limit.
    public var returns: Int

    /// A delivery.
    public init(
        connection: UInt64,
        tag: UInt64,
        generation: UInt32,
        redelivered: Bool,
        campaignQueue: String? = nil,
        returns: Int = 0
    ) {
        self.connection = connection
        self.tag = tag
        self.generation = generation
        self.redelivered = redelivered
        self.campaignQueue = campaignQueue
        self.returns = returns
    }
}

/// The shards that one worker process claims and runs; it tells a redelivery from a second copy.
///
/// Confined to the worker's control loop; it has no clock of its own. One rule keeps every shard alive: the message by
/// which the row was last claimed is unacked at its owner, or in the queue and comes back `redelivered`. So a delivery
/// is acked as a second copy only while this process holds another one that is live, or has lost one that will come
/// back.
public struct RunningShards: Sendable {
    /// The action for a delivery.
    public enum Arrival: Equatable, Sendable {
        /// Claim the shard with `adopting`.
        ///
        /// If the shard still has a run (it is adopted or replaced, see `concluded`), the run opens no streams until
        /// the answer is there: `requestStop(.leaseLost)`.
        case claim(adopting: UInt32?)
        /// A claim of the same shard is in progress: its conclusion decides.
        case wait
        /// Ack.
        case secondCopy
        /// The delivery's connection is gone: there is nothing to do, because the broker has the message again.
        case gone
    }

    /// The consequence of a claim's answer.
    public enum Conclusion: Equatable, Sendable {
        /// Start a run; forget an existing run of an older epoch and ack its delivery.
        case start(replaces: ShardDelivery?)
        /// The existing run continues: `ShardRun.adopted(epoch:isLeaseLost:)`.
        case adopt
        /// The shard is not ours to run: ack this delivery after the decision's actions.
        case ack(ShardDelivery)
        /// The claim waits for a former run: hold this delivery, unacked (`HeldDeliveries`).
        case hold(ShardDelivery)
        /// The claim was granted, but the connection was lost meanwhile: give up the row of this epoch.
        ///
        /// Otherwise the next receiver of the message would wait for a run that does not exist.
        case giveUp(epoch: UInt32)
        /// The connection was lost meanwhile: there is nothing to ack or start, and the message comes back.
        case gone
    }

    private struct Run {
        var epoch: UInt32
        var delivery: ShardDelivery
        var since: Timestamp
        /// The number of changes of the campaign's expiry that it knows of.
        var endChanges: UInt32 = 0
    }

    private struct Entry {
        var run: Run?
        var claiming: ShardDelivery?
        var waiting: [ShardDelivery] = []
        /// The stop that a poll asked for during a claim.
        var stop: ShardRun.Stop?
    }

    private var entries: [ShardKey: Entry] = [:]
    private var connection: UInt64?

    /// No shards and no connection.
    public init() {}

    /// Notes that a consuming connection is up; its number is higher than the earlier ones.
    public mutating func connected(_ connection: UInt64) {
        self.connection = connection
    }

    /// Notes that the consuming connection is gone, and with it every lease.
    ///
    /// Returns the shards whose runs stop opening streams.
    public mutating func disconnected() -> [ShardKey] {
        connection = nil
        for key in entries.keys { entries[key]?.waiting = [] }
        return runningKeys
    }

    /// Begins a run that needs no claim.
    ///
    /// The transaction that accepted its urgent campaign claimed it, and the campaign's message is its lease. Returns
    /// false if that message's connection is gone meanwhile: nothing is to start.
    public mutating func began(_ key: ShardKey, epoch: UInt32, _ delivery: ShardDelivery, now: Timestamp) -> Bool {
        guard isLive(delivery), entries[key] == nil else { return false }
        entries[key] = Entry(run: Run(epoch: epoch, delivery: delivery, since: now))
        return true
    }

    /// Decides about a delivery.
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
            // The row was set aside and published anew, which fenced any run that we still have.
            entry.claiming = delivery
            return .claim(adopting: nil)
        }
        if isLive(run.delivery) || !delivery.redelivered { return .secondCopy }
        entry.claiming = delivery
        return .claim(adopting: run.epoch)
    }

    /// Takes the ledger's answer to the claim of a shard.
    ///
    /// `epoch` is the new one if the decision was `run`, else nil; `waits` is true if the decision was `waits`. `rest`
    /// are the deliveries that waited, each with its action. `endChanges` is the campaign's as of the claim; an adopted
    /// run keeps its first value.
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

    /// Notes that a run is over: settled, set aside, abandoned, or fenced because another worker claimed the shard.
    ///
    /// Returns the delivery to ack; nil if it is lost, or if the run of this epoch was replaced. (After fenced writes,
    /// the other worker holds its own unacked copy, so ours is one too many.)
    public mutating func ended(_ key: ShardKey, epoch: UInt32) -> ShardDelivery? {
        guard let entry = entries[key], let run = entry.run, run.epoch == epoch else { return nil }
        if entry.claiming == nil { entries[key] = nil } else { entries[key]?.run = nil }
        return isLive(run.delivery) ? run.delivery : nil
    }

    /// Returns true if a claim that may adopt the shard's run is in progress.
    ///
    /// Until its answer nothing of the run is handed to the ledger, because it would carry an epoch that is about to be
    /// outdated.
    public func isAdopting(_ key: ShardKey) -> Bool {
        entries[key].map { $0.run != nil && $0.claiming != nil } ?? false
    }

    /// Returns true if the run's lease is gone.
    public func isLeaseLost(_ key: ShardKey) -> Bool {
        guard let run = entries[key]?.run else { return true }
        return !isLive(run.delivery)
    }

    /// Returns true if the message that is the run's lease came back so often that the shard needs a new one.
    public func isWornOut(_ key: ShardKey) -> Bool {
        entries[key]?.run.map { $0.delivery.returns >= Claim.returnsUntilRenewed } ?? false
    }

    /// The running shards, in order.
    public var runningKeys: [ShardKey] {
        entries.filter { $0.value.run != nil }.keys.sorted()
    }

    /// Returns true if a shard runs or is being claimed.
    public func contains(_ key: ShardKey) -> Bool { entries[key] != nil }

    /// Returns true if a shard of a campaign runs or is being claimed.
    public func hasShards(of campaign: UInt32) -> Bool { entries.keys.contains { $0.campaign == campaign } }

    /// The number of shards that run or are being claimed.
    public var count: Int { entries.count }

    /// The campaigns that run here or are being claimed, for which the ledger is polled (every 500 ms; design, section
    /// 7).
    public var campaigns: Set<UInt32> {
        Set(entries.keys.map(\.campaign))
    }

    /// Returns the stops that follow from a poll's answer.
    ///
    /// Cancelled, failed and expired campaigns end. Paused ones are set aside, and so are shards whose time zone has
    /// quiet hours. Campaigns with a changed expiry are handed over, so that the next claim has the new one.
    ///
    /// `shares`: in campaigns of several providers, each shard that a worker runs, with the campaign as the shard sees
    /// it.
    ///
    /// A claim in progress may have been granted before the change and answered after this poll: call `startStop` when
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

    /// Returns the stop that a poll asked for during the claim from which this run starts; it applies before the first
    /// stream.
    public mutating func startStop(_ key: ShardKey) -> ShardRun.Stop? {
        defer { entries[key]?.stop = nil }
        return entries[key]?.stop
    }

    /// Returns the shards that have been held for this long (five minutes; design, section 7) and are to be handed
    /// over.
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
