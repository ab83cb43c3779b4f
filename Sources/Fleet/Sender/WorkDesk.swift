import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore
import PushProviders
import Store
import Transport

/// Where shards come in and go out: takes deliveries, claims, hands runs to the loops, settles, publishes, acks.
///
/// Confined to the loop of the worker's AMQP connections. What to do is said by `RunningShards`, `Claim` and
/// `ShardRun.End`; this carries messages between broker, ledger and loops.
final class WorkDesk {
    let loop: any EventLoop
    let worker: Int64
    let ledger: Ledger
    let apps: AppDirectory
    /// Whether this worker sends; one that does not sets aside what it cannot help to get (`knowsApp`).
    let sends: Bool
    let publisher: ShardPublisher
    let logger: Logger
    /// Acknowledges a delivery; without effect when its connection is gone.
    var ack: (ShardDelivery) -> Void = { _ in }
    /// A campaign may have ended, or a place in the window is free.
    var progressed: (UInt32) -> Void = { _ in }
    /// Gives a queue's prefetch once more, until the connection ends.
    var makeRoom: (_ queue: String) -> Void = { _ in }
    /// The queue of a campaign's message that is shards' lease; nil for a shard's own.
    var queueOfLease: (ShardDelivery) -> String? = { _ in nil }
    /// A run was given back or ended.
    var onIdle: (() -> Void)?

    var running = RunningShards()
    /// The consuming connection; nil while there is none.
    private(set) var connection: UInt64?
    private(set) var loops: [LoopHandle] = []
    private var loopOf: [ShardKey: LoopHandle] = [:]
    private var nextLoop = 0
    private var claimed: [ShardKey: Shard] = [:]
    private var waiting: [WaitingCopy: Shard] = [:]
    /// Runs that ended while a claim that may adopt them was out.
    private var endedWhileAdopting: Set<ShardKey> = []
    /// Runs that are on their way from their loop to the ledger, with the deliveries that came meanwhile: their last
    /// write goes before a claim, which would fence it and look for a run that no loop has any more.
    private var takingOver: [ShardKey: [(shard: Shard, delivery: ShardDelivery)]] = [:]
    /// Shards that are to run alone, and what waits for that.
    var quarantine = Quarantine()
    /// Deliveries that wait for a former run at another worker.
    var held = HeldDeliveries()
    /// What the silence of other workers means.
    private var hearing = LedgerHearing()
    /// Whether a look at them has been scheduled.
    var looksAtHeld = false
    /// The worker stops: what is claimed from now on is handed over as well.
    private(set) var isHandingOver = false
    /// Settlements, hand-overs and publishes under way.
    var pending = 0
    /// What became of shards and devices here.
    var tally = WorkTally()
    /// What began without a slot and is not yet counted against its provider's quota.
    var uncharged: [ProviderQuota: Int] = [:]
    /// Spans of shards; nil when nobody wants them.
    var tracing: ShardTracing?

    /// A delivery that waits for a claim's answer; several shards of an urgent campaign share one.
    private struct WaitingCopy: Hashable {
        var key: ShardKey
        var delivery: ShardDelivery
    }

    init(
        loop: any EventLoop,
        worker: Int64,
        ledger: Ledger,
        apps: AppDirectory,
        sends: Bool = true,
        publisher: ShardPublisher,
        logger: Logger
    ) {
        self.loop = loop
        self.worker = worker
        self.ledger = ledger
        self.apps = apps
        self.sends = sends
        self.publisher = publisher
        self.logger = logger
    }

    /// Gives the desk its event loops, once.
    func use(_ loops: [LoopHandle]) {
        self.loops = loops
    }

    /// Whether nothing runs and nothing is on its way to the ledger or the broker.
    var isIdle: Bool { running.count == 0 && pending == 0 }

    /// The ledger took the worker's report.
    func reported() {
        hearing.reported(now: MonotonicInstant(of: .now()))
    }

    // MARK: - Deliveries

    func connected(_ connection: UInt64) {
        self.connection = connection
        running.connected(connection)
        goOnAlone()
    }

    /// The consuming connection is gone, and with it every lease.
    func disconnected() {
        connection = nil
        waiting.removeAll()
        held.release()
        for record in quarantine.disconnected(running) { giveUp(record.id.key, epoch: record.epoch) }
        for key in takingOver.keys { takingOver[key] = [] }
        for key in running.disconnected() { stop(key, .leaseLost) }
    }

    /// The lease holds again after it had run out, and its connection was not lost.
    func leaseHolds() {
        for handle in loops { handle.execute { $0.demandChanged() } }
    }

    func received(_ message: InboundMessage, connection: UInt64) {
        let shard: Shard
        do throws(ShardError) {
            shard = try Shard(encoded: message.body)
        } catch {
            return park(message, reason: error.reason, detail: error.description, connection: connection)
        }
        let delivery = ShardDelivery(
            connection: connection,
            tag: message.deliveryTag,
            generation: shard.generation,
            redelivered: message.redelivered
        )
        arrived(shard, delivery)
    }

    /// A shard with a delivery that is its lease, if it is to be run.
    func arrived(_ shard: Shard, _ delivery: ShardDelivery) {
        guard takingOver[shard.id.key] == nil else {
            takingOver[shard.id.key]?.append((shard, delivery))
            return
        }
        if quarantine.isOn, !running.contains(shard.id.key) {
            return quarantine.hold(Quarantine.Held(shard, delivery))
        }
        follow(running.arrived(shard.id.key, delivery), shard, delivery)
    }

    func follow(_ arrival: RunningShards.Arrival, _ shard: Shard, _ delivery: ShardDelivery) {
        let key = shard.id.key
        switch arrival {
        case .gone: return
        case .secondCopy: ack(delivery)
        case .wait: waiting[WaitingCopy(key: key, delivery: delivery)] = shard
        case .claim(let adopting):
            if loopOf[key] != nil { stop(key, .leaseLost) }
            claimed[key] = shard
            claim(shard, delivery, adopting: adopting)
        }
    }

    private func claim(_ shard: Shard, _ delivery: ShardDelivery, adopting: UInt32?) {
        let claim = Claim(
            key: shard.id.key,
            generation: delivery.generation,
            redelivered: delivery.redelivered,
            worker: worker,
            knowsApp: sends && apps.account(app: shard.facts.app, provider: shard.facts.provider) != nil,
            adopting: adopting,
            isPaced: apps.isPaced(app: shard.facts.app, provider: shard.facts.provider, urgency: shard.facts.urgency),
            isAlone: quarantine.alone == shard.id.key,
            overdue: overdue(shard),
            judgesSilence: hearing.judgesSilence(now: MonotonicInstant(of: .now())),
            content: Claim.Content(shard)
        )
        let now = ledger.now()
        let bound = NIOLoopBound(self, eventLoop: loop)
        ledger.submit(.normal, haste: shard.lane.haste, reach: .shards) { transaction in
            try transaction.claim(claim, now: now)
        } completion: { [loop] result in
            loop.execute { bound.value.answered(claim, delivery, result) }
        }
    }

    private func answered(_ claim: Claim, _ delivery: ShardDelivery, _ result: Result<ClaimResult, LedgerError>) {
        guard let shard = claimed.removeValue(forKey: claim.key) else { preconditionFailure("a claim of no shard") }
        switch result {
        case .failure(let error):
            logger.error("the ledger does not take a claim", metadata: ["shard": "\(shard.id)", "error": "\(error)"])
            claimed[claim.key] = shard
            loop.assumeIsolated().scheduleTask(in: .seconds(1)) {
                self.claim(shard, delivery, adopting: claim.adopting)
            }
        case .success(let result):
            tally.claimed(result.decision, maybeSent: result.maybeSent)
            let epoch = result.decision == .run ? result.record?.epoch : nil
            if result.decision != .waits { held.answered(claim.key) }
            let (conclusion, rest) = running.concluded(
                claim.key,
                epoch: epoch,
                waits: result.decision == .waits,
                endChanges: result.campaign?.endChanges ?? 0,
                now: ledger.now()
            )
            conclude(conclusion, result, shard)
            for (other, arrival) in rest {
                let place = WaitingCopy(key: claim.key, delivery: other)
                guard let copy = waiting.removeValue(forKey: place) else { continue }
                follow(arrival, copy, other)
            }
            progressed(claim.key.campaign)
            checkIdle()
        }
    }

    private func conclude(_ conclusion: RunningShards.Conclusion, _ result: ClaimResult, _ shard: Shard) {
        let key = shard.id.key
        switch conclusion {
        case .start(let replaced):
            if let replaced { ack(replaced) }
            endedWhileAdopting.remove(key)
            start(shard, result)
            if let stop = running.startStop(key) { self.stop(key, stop) }
            if isHandingOver { stop(key, .setAside(.handOver)) }
        case .adopt:
            guard let record = result.record else { return }
            // The ledger failed to take the run's end before this claim: what it has of the run goes on.
            let isLeaseLost = running.isLeaseLost(key)
            guard let handle = loopOf[key] else {
                start(shard, result)
                if isLeaseLost { stop(key, .leaseLost) }
                return
            }
            let wasOver = endedWhileAdopting.remove(key) != nil
            handle.execute { $0.adopt(key, epoch: record.epoch, isLeaseLost: isLeaseLost) }
            if wasOver { runIsOver(key) }
        case .hold(let delivery):
            endReplaced(key)
            hold(shard, delivery, epoch: result.record?.epoch ?? 0)
        case .giveUp(let epoch):
            endReplaced(key)
            giveUp(key, epoch: epoch)
        case .gone: endReplaced(key)
        case .ack(let delivery):
            endReplaced(key)
            switch result.decision {
            case .park(let reason), .quarantine(let reason): park(shard, delivery, reason: reason)
            case .runAlone: quarantine.add(Quarantine.Held(shard, delivery))
            case .settledAlready: publishLeft(result.unpublished, delivery)
            case .drop, .end, .setAside, .run, .waits: ack(delivery)
            }
        }
    }

    /// Ends a run that was over before a claim's answer said that it does not go on.
    private func endReplaced(_ key: ShardKey) {
        if endedWhileAdopting.remove(key) != nil { runIsOver(key) }
    }

    private func start(_ shard: Shard, _ result: ClaimResult) {
        guard let record = result.record,
            let account = apps.account(app: shard.facts.app, provider: shard.facts.provider)
        else { preconditionFailure("\(shard.id) runs without a row or an account") }
        var current = shard
        if let end = result.newEnd { current.facts.expiresAt = end }
        let campaign = result.campaign
        let isProbe = campaign?.breaker.isProbe(shard.id.key) ?? false
        begin(
            current,
            record,
            account,
            lateness: lateness(of: current, campaign),
            isProbe: isProbe,
            stopsForContent: campaign?.contentTrips ?? 0 == 0
        )
    }

    /// Hands a claimed shard to the next loop.
    func begin(
        _ shard: Shard,
        _ record: ShardRecord,
        _ account: LoadedAccount,
        lateness: Int64 = Pacing.lateness,
        isProbe: Bool = false,
        stopsForContent: Bool = true
    ) {
        tracing?.began(shard, now: ledger.now())
        charge(shard, record.progress, account)
        let handle = loopOf[shard.id.key] ?? loops[nextLoop % loops.count]
        nextLoop += 1
        loopOf[shard.id.key] = handle
        let (epoch, progress) = (record.epoch, record.progress)
        handle.execute {
            $0.start(
                shard,
                epoch: epoch,
                progress: progress,
                account: account,
                lateness: lateness,
                isProbe: isProbe,
                stopsForContent: stopsForContent
            )
        }
    }

    // MARK: - Runs

    func stop(_ key: ShardKey, _ reason: ShardRun.Stop) {
        loopOf[key]?.execute { $0.stop(key, reason) }
    }

    /// A run has no open stream and opens none: takes it over, unless a claim that may adopt it is out.
    func runIsOver(_ key: ShardKey) {
        if running.isAdopting(key) {
            endedWhileAdopting.insert(key)
            return
        }
        guard let handle = loopOf[key], takingOver[key] == nil else { return }
        takingOver[key] = []
        let bound = NIOLoopBound(self, eventLoop: loop)
        handle.execute { [loop] sender in
            let over = sender.takeOver(key)
            loop.execute { bound.value.took(key, over) }
        }
    }

    /// `over` is nil when the run goes on after all: it was adopted meanwhile.
    private func took(_ key: ShardKey, _ over: FinishedRun?) {
        let late = takingOver.removeValue(forKey: key) ?? []
        if let over {
            loopOf[key] = nil
            ended(over, RunToken(key: key, epoch: over.epoch, worker: worker))
        }
        for copy in late { arrived(copy.shard, copy.delivery) }
    }

    /// What the poll of the ledger says of the campaigns that run here.
    ///
    /// `shares`: see `RunningShards.stops`.
    func polled(
        _ facts: [CampaignFacts],
        shares: [ShardKey: CampaignFacts],
        quiet: Set<ShardKey>,
        now: Timestamp
    ) {
        let byNumber = Dictionary(facts.map { ($0.number, $0) }) { first, _ in first }
        let stops = running.stops(campaigns: byNumber, shares: shares, quiet: quiet, now: now)
        for (key, reason) in stops { stop(key, reason) }
        for key in running.held(for: .seconds(300), now: now) { stop(key, .setAside(.handOver)) }
        let superseded = facts.filter { $0.supersededBy != nil }.map(\.number)
        if !superseded.isEmpty { tellStopped(of: Set(superseded)) }
    }

    /// Has connections open for held campaigns on every loop.
    func warm(_ routes: Set<HeldRoute>) {
        for route in routes {
            guard let account = apps.account(app: route.app, provider: route.provider) else { continue }
            for handle in loops {
                handle.execute { $0.warm(account, route.environment, isUrgent: route.urgency == .urgent) }
            }
        }
    }

    /// The worker stops: nothing begins any more, and the broker gives to others what is held and not acked.
    func beginNothing() {
        isHandingOver = true
        held.release()
    }

    /// Hands over everything that still runs: the worker stops.
    func handOverAll() {
        beginNothing()
        for key in running.runningKeys { stop(key, .setAside(.handOver)) }
    }

    func credentialsRefused(_ key: ShardKey, reason: String) {
        let now = ledger.now()
        ledger.submit(.synced) { transaction in
            let before = try transaction.pause(of: key, reason: .credentials, detail: reason, now: now)
            try transaction.tripBreaker(of: key, Breaker.Trip(reason: reason, since: now), now: now)
            return before?.pausedBy.contains(.credentials) == false
        } completion: { [logger] result in
            // Every shard of the campaign finds out; one line says it for all of them, in the whole fleet.
            if case .success(false) = result { return }
            logger.error(
                "the provider refuses the app's credentials; the campaign is paused",
                metadata: ["shard.campaign": "\(key.campaign)", "reason": "\(reason)"]
            )
        }
    }

    func contentRefused(_ key: ShardKey, reason: String) {
        logger.error(
            "the provider refuses the campaign's content; the campaign is paused",
            metadata: ["shard.campaign": "\(key.campaign)", "reason": "\(reason)"]
        )
        let now = ledger.now()
        write(.synced, "a pause") {
            _ = try $0.pause(of: key, reason: .content, detail: reason, now: now)
        } then: { _ in
        }
    }

    /// The provider is out for an app: the fleet's shards of it are set aside until a probe finds it well.
    func tripped(app: String, provider: ProviderName, _ trip: Breaker.Trip) {
        setAside(app: app, provider: provider)
        let now = ledger.now()
        write(.synced, "an open breaker") {
            try $0.tripBreaker(app: app, provider: provider, trip, now: now)
        } then: { [self] isNew in
            // One line for all loops that find out, in the whole fleet, and none for each probe.
            guard isNew else { return }
            logger.error(
                "the provider is out for an app; its shards are set aside",
                metadata: ["app": "\(app)", "provider": "\(provider.rawValue)", "reason": "\(trip.reason)"]
            )
            // Claims that were granted before this commit have begun meanwhile.
            setAside(app: app, provider: provider)
        }
    }

    private func setAside(app: String, provider: ProviderName) {
        for handle in loops { handle.execute { $0.setAside(app: app, provider: provider) } }
    }
}
