public import Campaigns

/// The shards of one worker process, from a delivery to its ack, with all decisions of the worker's control loop.
///
/// The functions take the facts, once for each shard. The resulting actions are appended to `actions`, which the driver
/// takes and does in order. Confined to that loop; the caller passes the time. A delivery is acked once, and only after
/// the ledger has the result of its shard.
public struct WorkerShards: Sendable {
    /// The actions to do, oldest first.
    public private(set) var actions: [Action] = []

    /// The shards that run here or are being claimed.
    var running = RunningShards()
    /// The shards that are to run alone, and the deliveries that wait for them.
    var quarantine = Quarantine()
    /// The deliveries that wait for a former run at another worker.
    var held = HeldDeliveries()
    /// The meaning of other workers' silence.
    var reportSeries = ReportSeries()
    /// The shards with a claim in progress.
    var claimed: [ShardKey: Shard] = [:]
    /// Further deliveries of those shards.
    var waiting: [Copy: Shard] = [:]
    /// The loop that has a shard's run, from its start until it is taken over (`Start.loop`).
    var loopOf: [ShardKey: Int] = [:]
    /// The runs that ended while a claim that may adopt them was in progress.
    var endedWhileAdopting: Set<ShardKey> = []
    /// The runs on their way from their loop to the ledger.
    ///
    /// The ledger has their end before their shard is claimed again. A claim would fence that write, and what was
    /// answered meanwhile would be sent again.
    var ending: [ShardKey: Ending] = [:]
    /// The messages of urgent campaigns, each the lease of several shards.
    var leases: [Lease: Int] = [:]
    /// The instant of the last `wake`.
    var wakeAt: MonotonicInstant?
    private var nextLoop = 0
    private let setting: Setting

    /// True once the worker stops: shards that are claimed from now on are handed over as well.
    public private(set) var isHandingOver = false

    /// A delivery that waits for a claim's answer; several shards of an urgent campaign share one.
    struct Copy: Hashable {
        var key: ShardKey
        var delivery: ShardDelivery
    }

    /// A message of an urgent campaign, whatever the generation of its shards.
    struct Lease: Hashable {
        var connection: UInt64
        var tag: UInt64

        init(_ delivery: ShardDelivery) { (connection, tag) = (delivery.connection, delivery.tag) }
    }

    /// A run on its way from its loop to the ledger.
    struct Ending {
        /// The loop that has the run, and counts its answers until the ledger has its end.
        var loop: Int
        /// The run's epoch, once the loop gave it up.
        var epoch: UInt32?
        /// The deliveries that came meanwhile.
        var late: [Late] = []
    }

    /// A delivery that came while its shard's former run was on its way to the ledger.
    struct Late {
        var shard: Shard
        var delivery: ShardDelivery
    }

    /// No shards and no connection.
    public init(_ setting: Setting) {
        self.setting = setting
    }

    /// Moves all actions, oldest first, into the buffer; the buffer's old content is dropped and its memory reused.
    public mutating func take(_ buffer: inout [Action]) {
        buffer.removeAll(keepingCapacity: true)
        swap(&buffer, &actions)
    }

    /// The number of shards that run or are being claimed.
    public var count: Int { running.count }

    /// The number of deliveries that wait for a former run at another worker.
    public var heldCount: Int { held.count }

    /// Returns true if the lease of a shard's run is gone.
    public func isLeaseLost(_ key: ShardKey) -> Bool { running.isLeaseLost(key) }

    /// The campaigns for which the ledger is polled.
    public var campaigns: Set<UInt32> { running.campaigns }

    /// Returns true if a shard of a campaign runs here or is being claimed: then the campaign is not done.
    public func hasShards(of campaign: UInt32) -> Bool { running.hasShards(of: campaign) }

    // MARK: - The broker

    /// Notes that a consuming connection is up; its number is higher than the earlier ones.
    public mutating func connected(_ connection: UInt64, at now: Moment) {
        running.connected(connection)
        goOnAlone(at: now)
    }

    /// Notes that the consuming connection is gone, and with it every lease.
    public mutating func disconnected() {
        waiting.removeAll()
        leases.removeAll()
        held.release()
        for record in quarantine.disconnected(running) { act(.giveUp(record.id.key, epoch: record.epoch)) }
        for key in ending.keys { ending[key]?.late = [] }
        for key in running.disconnected() { stop(key, .leaseLost) }
    }

    /// Takes a shard that is to run, with the message that is its lease.
    public mutating func delivered(_ shard: Shard, _ delivery: ShardDelivery, at now: Moment) {
        guard ending[shard.id.key] == nil else {
            ending[shard.id.key]?.late.append(Late(shard: shard, delivery: delivery))
            return
        }
        if quarantine.isOn, !running.contains(shard.id.key) {
            return quarantine.hold(Quarantine.Held(shard, delivery))
        }
        follow(running.arrived(shard.id.key, delivery), shard, delivery, at: now)
    }

    /// Notes that the message of an urgent campaign is the lease of this many shards, each of which is reported next.
    public mutating func leased(_ delivery: ShardDelivery, shards: Int) {
        leases[Lease(delivery)] = shards
    }

    /// Takes a shard that this process claimed when it accepted the campaign, with the campaign's message as its lease.
    public mutating func accepted(_ shard: Shard, _ record: ShardRecord, _ delivery: ShardDelivery, at now: Moment) {
        // Beside a shard that runs alone it would die with it, and count as another killer.
        if quarantine.isOn { return quarantine.hold(Quarantine.Held(shard, delivery, claimed: record)) }
        // Without its connection the campaign's message comes back, and this shard with it.
        guard running.began(shard.id.key, epoch: record.epoch, delivery, now: now.shared) else {
            return act(.giveUp(shard.id.key, epoch: record.epoch))
        }
        start(shard, record, campaign: nil)
    }

    // MARK: - Time and the ledger

    /// Notes that the ledger took this worker's report.
    public mutating func reported(at now: Moment) {
        reportSeries.reported(now: now.instant)
    }

    /// Handles the instant of the last `wake`: deliveries that wait for a former run are claimed again.
    public mutating func woke(at now: Moment) {
        wakeAt = nil
        for message in held.due(now: now.instant) { delivered(message.shard, message.delivery, at: now) }
        wake()
    }

    /// Takes the ledger's facts about the campaigns that run here; see `RunningShards.stops` for `shares` and `quiet`.
    public mutating func polled(
        _ campaigns: [CampaignFacts],
        shares: [ShardKey: CampaignFacts],
        quiet: Set<ShardKey>,
        at now: Moment
    ) {
        let byNumber = Dictionary(campaigns.map { ($0.number, $0) }) { first, _ in first }
        for (key, reason) in running.stops(campaigns: byNumber, shares: shares, quiet: quiet, now: now.shared) {
            stop(key, reason)
        }
        for key in running.held(for: .seconds(300), now: now.shared) { stop(key, .setAside(.handOver)) }
        let superseded = Set(campaigns.filter { $0.supersededBy != nil }.map(\.number))
        let keys = running.runningKeys.filter { superseded.contains($0.campaign) }
        if !keys.isEmpty { act(.tellStopped(keys)) }
    }

    // MARK: - The end of the worker

    /// Begins nothing any more; the broker gives others what is held and not acked.
    public mutating func beginNothing() {
        isHandingOver = true
        held.release()
    }

    /// Hands over everything that still runs.
    public mutating func handOverAll() {
        beginNothing()
        for key in running.runningKeys { stop(key, .setAside(.handOver)) }
    }

    // MARK: - Shared with the other files

    mutating func act(_ action: Action) { actions.append(action) }

    mutating func stop(_ key: ShardKey, _ reason: ShardRun.Stop) {
        if let loop = loopOf[key] { act(.stop(key, reason, loop: loop)) }
    }

    /// Acks a delivery, if any; the message of an urgent campaign only when the last of its shards is done with it.
    mutating func ack(_ delivery: ShardDelivery?) {
        guard let delivery else { return }
        let lease = Lease(delivery)
        if let left = leases[lease], left > 1 {
            leases[lease] = left - 1
            return
        }
        leases[lease] = nil
        act(.ack(delivery))
    }

    /// Gives a claimed shard to the loop that has its former run, or to the next one; a stopping worker hands it over.
    mutating func start(_ shard: Shard, _ record: ShardRecord, campaign: CampaignFacts?) {
        let key = shard.id.key
        let loop = loopOf[key] ?? nextLoop
        nextLoop += 1
        loopOf[key] = loop
        act(.start(Start(shard, record, campaign, loop: loop)))
        if isHandingOver { stop(key, .setAside(.handOver)) }
    }

    /// Keeps a delivery unacked and claims it again later.
    mutating func hold(_ shard: Shard, _ delivery: ShardDelivery, epoch: UInt32, at now: Moment) {
        guard !isHandingOver else { return }
        let queue = delivery.campaignQueue ?? BrokerNames.workQueue(shard.lane)
        held.hold(HeldDeliveries.Held(shard, delivery, queue: queue), epoch: epoch, now: now.instant)
        if held.needsRoom(in: queue, prefetch: setting.prefetch(queue)) { act(.widen(queue: queue)) }
        wake()
    }

    /// The epoch of a shard's former run for which its claim need not wait any longer.
    func overdue(_ shard: Shard, at now: Moment) -> UInt32? {
        held.overdue(shard.id.key, streamDeadline: setting.streamDeadline(shard.facts.provider), now: now.instant)
    }

    private mutating func wake() {
        guard wakeAt == nil, let at = held.nextAt else { return }
        wakeAt = at
        act(.wake(at: at))
    }
}
