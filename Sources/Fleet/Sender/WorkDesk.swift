import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore
import PushProviders
import Store
import Transport

/// Carries shards between broker, ledger and loops, as `WorkerShards` says.
///
/// Confined to the loop of the worker's AMQP connections. Every fact is told to the machine and followed by `perform`.
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
    /// A run was given back or ended.
    var onIdle: (() -> Void)?

    var shards = WorkerShards(
        WorkerShards.Setting(
            prefetch: { Int(WorkerCore.prefetch(of: $0)) },
            streamDeadline: { name in
                ProviderRegistry.providers.first { $0.name == name }?.limits.streamDeadline ?? .zero
            }
        )
    )
    /// The consuming connection; nil while there is none.
    private(set) var connection: UInt64?
    private(set) var loops: [LoopHandle] = []
    /// Settlements, hand-overs and publishes under way.
    var pending = 0
    /// What became of shards and devices here.
    var tally = WorkTally()
    /// What began without a slot and is not yet counted against its provider's quota.
    var uncharged: [ProviderQuota: Int] = [:]
    private var spare: [WorkerShards.Action] = []
    /// Spans of shards; nil when nobody wants them.
    var tracing: ShardTracing?

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
    var isIdle: Bool { shards.count == 0 && pending == 0 }

    var now: WorkerShards.Moment { WorkerShards.Moment(ledger.now(), MonotonicInstant(of: .now())) }

    // MARK: - Facts

    func connected(_ connection: UInt64) {
        self.connection = connection
        shards.connected(connection, at: now)
        perform()
    }

    /// The consuming connection is gone, and with it every lease.
    func disconnected() {
        connection = nil
        shards.disconnected()
        perform()
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
        shards.delivered(shard, delivery, at: now)
        perform()
    }

    /// The ledger took the worker's report.
    func reported() {
        shards.reported(at: now)
        perform()
    }

    /// A run has no open stream and opens none.
    func runIsOver(_ key: ShardKey) {
        shards.runIsOver(key)
        perform()
    }

    /// The ledger was asked of the campaigns that run here.
    func polled(_ facts: [CampaignFacts], shares: [ShardKey: CampaignFacts], quiet: Set<ShardKey>) {
        shards.polled(facts, shares: shares, quiet: quiet, at: now)
        perform()
    }

    /// The worker stops, and has nothing left.
    func beginNothing() {
        shards.beginNothing()
        perform()
    }

    /// The worker stops: hands over everything that still runs.
    func handOverAll() {
        shards.handOverAll()
        perform()
    }

    // MARK: - Actions

    /// Does what follows from the last fact; `over` and `left` are what came with it.
    func perform(over: LoopRuns.Finished? = nil, left: [OutgoingShard] = []) {
        // A fact that is told meanwhile has a buffer of its own.
        var actions: [WorkerShards.Action] = []
        swap(&actions, &spare)
        shards.take(&actions)
        for action in actions {
            switch action {
            case .claim(let order): claim(order)
            case .start(let start): begin(start)
            case .adopt(let key, let epoch, let isLeaseLost, let loop):
                handle(loop).execute { $0.adopt(key, epoch: epoch, isLeaseLost: isLeaseLost) }
            case .stop(let key, let reason, let loop): handle(loop).execute { $0.stop(key, reason) }
            case .takeOver(let key, let loop): takeOver(key, from: handle(loop))
            case .write(let key, let epoch):
                guard let over else { preconditionFailure("\(key) was taken over without a run") }
                ended(over, RunToken(key: key, epoch: epoch, worker: worker))
            case .publish(let delivery): publishAll(left, thenAck: delivery)
            case .ack(let delivery): ack(delivery)
            case .park(let shard, let delivery, let reason): park(shard, delivery, reason: reason)
            case .giveUp(let key, let epoch): giveUp(RunToken(key: key, epoch: epoch, worker: worker))
            case .widen(let queue): makeRoom(queue)
            case .wake(let instant): wake(at: instant)
            case .tellStopped(let keys): tellStopped(keys)
            }
        }
        spare = actions
        checkIdle()
    }

    func checkIdle() {
        if isIdle { onIdle?() }
    }

    private func handle(_ loop: Int) -> LoopHandle { loops[loop % loops.count] }

    private func claim(_ order: WorkerShards.Order) {
        let shard = order.shard
        if order.isAlone {
            logger.warning(
                "a shard whose last claims ended with their workers runs alone",
                metadata: ["shard": "\(shard.id)"]
            )
        }
        let claim = Claim(
            key: shard.id.key,
            generation: order.delivery.generation,
            redelivered: order.delivery.redelivered,
            worker: worker,
            knowsApp: sends && apps.account(app: shard.facts.app, provider: shard.facts.provider) != nil,
            adopting: order.adopting,
            isPaced: apps.isPaced(app: shard.facts.app, provider: shard.facts.provider, urgency: shard.facts.urgency),
            isAlone: order.isAlone,
            overdue: order.overdue,
            judgesSilence: order.judgesSilence,
            content: Claim.Content(shard)
        )
        let now = ledger.now()
        let bound = NIOLoopBound(self, eventLoop: loop)
        ledger.submit(.normal, haste: shard.lane.haste, reach: .shards) { transaction in
            try transaction.claim(claim, now: now)
        } completion: { [loop] result in
            loop.execute { bound.value.answered(order, result) }
        }
    }

    private func answered(_ order: WorkerShards.Order, _ result: Result<ClaimResult, LedgerError>) {
        let shard = order.shard
        switch result {
        case .failure(let error):
            logger.error("the ledger does not take a claim", metadata: ["shard": "\(shard.id)", "error": "\(error)"])
            loop.assumeIsolated().scheduleTask(in: .seconds(1)) {
                self.shards.claimFailed(order, at: self.now)
                self.perform()
            }
        case .success(let result):
            tally.claimed(result.decision, maybeSent: result.maybeSent)
            let answer = WorkerShards.Answer(
                result.decision,
                record: result.record,
                campaign: result.campaign,
                newEnd: result.newEnd
            )
            shards.claimAnswered(shard.id.key, answer, at: now)
            perform(left: result.unpublished.map(OutgoingShard.init))
            progressed(shard.id.key.campaign)
        }
    }

    /// Hands a claimed shard to its loop.
    private func begin(_ start: WorkerShards.Start) {
        let (shard, progress, epoch) = (start.shard, start.record.progress, start.record.epoch)
        guard let account = apps.account(app: shard.facts.app, provider: shard.facts.provider) else {
            preconditionFailure("\(shard.id) runs without an account")
        }
        tracing?.began(shard, now: ledger.now())
        charge(shard, progress, account)
        let lateness = lateness(of: shard, isPaced: start.isPaced)
        handle(start.loop).execute {
            $0.start(
                shard,
                epoch: epoch,
                progress: progress,
                account: account,
                lateness: lateness,
                isProbe: start.isProbe,
                stopsForContent: start.stopsForContent
            )
        }
    }

    private func takeOver(_ key: ShardKey, from handle: LoopHandle) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        handle.execute { [loop] sender in
            let over = sender.takeOver(key)
            loop.execute { bound.value.took(key, over) }
        }
    }

    private func took(_ key: ShardKey, _ over: LoopRuns.Finished?) {
        shards.tookOver(key, epoch: over?.epoch, at: now)
        perform(over: over)
    }

    private func wake(at instant: MonotonicInstant) {
        let wait = max(Duration.zero, instant.since(now.instant))
        loop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) {
            self.shards.woke(at: self.now)
            self.perform()
        }
    }

    // MARK: - Providers

    /// Has connections open for held campaigns on every loop.
    func warm(_ routes: Set<HeldRoute>) {
        for route in routes {
            guard let account = apps.account(app: route.app, provider: route.provider) else { continue }
            for handle in loops {
                handle.execute { $0.warm(account, route.environment, isUrgent: route.urgency == .urgent) }
            }
        }
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
