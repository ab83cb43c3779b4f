import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore
import PushProviders
import Settings
import Store
import Transport

/// Carries shards between broker, ledger and loops, as `WorkerShards` decides.
///
/// Confined to the loop of the worker's AMQP connections. Every fact is passed to the machine and followed by
/// `perform`.
final class WorkCoordinator {
    let loop: any EventLoop
    let worker: Int64
    let ledger: Ledger
    let apps: AppDirectory
    /// True if this worker has the sender role.
    ///
    /// One without it may still get shards, and sets them aside (`knowsApp`).
    let sends: Bool
    let publisher: ShardPublisher
    let writer: LedgerWriter
    let logger: Logger
    private let charges: QuotaCharges
    /// Acknowledges a delivery; without effect when its connection is gone.
    var ack: (ShardDelivery) -> Void = { _ in }
    /// Called when a campaign may have ended: nothing of it runs here any more.
    var progressed: (UInt32) -> Void = { _ in }
    /// Adds the queue's prefetch once more, until the connection ends.
    var makeRoom: (_ queue: String) -> Void = { _ in }
    /// Called when nothing runs any more and nothing is pending.
    var onIdle: (() -> Void)?
    /// The loops that send.
    var loops = SenderLoops()

    private(set) var shards = WorkerShards(
        WorkerShards.Setting(
            prefetch: { Int(Prefetch.of($0)) },
            streamDeadline: { name in
                ProviderRegistry.providers.first { $0.name == name }?.limits.streamDeadline ?? .zero
            }
        )
    )
    /// The consuming connection; nil while there is none.
    private(set) var connection: UInt64?
    /// Counts of the shards and devices of this worker.
    var counters = WorkCounters()
    /// The log's lines about devices that are tried again.
    var retryNotices = RetryNotices()
    private var spare: [WorkerShards.Action] = []
    /// The tracing of shards; nil when spans are not collected.
    var tracing: ShardTracing?

    init(_ context: WorkerContext, loop: any EventLoop, writer: LedgerWriter, publisher: ShardPublisher) {
        self.loop = loop
        self.writer = writer
        self.publisher = publisher
        worker = context.worker
        ledger = context.ledger
        apps = context.apps
        sends = context.sends
        logger = context.logger
        charges = QuotaCharges(writer: writer)
        tracing = context.spans.map { ShardTracing($0) }
        writer.ended = { [unowned self] in checkIdle() }
    }

    /// True if nothing runs and nothing is pending at the ledger or the broker.
    private var isIdle: Bool { shards.count == 0 && writer.pending == 0 }

    private var now: WorkerShards.Moment { WorkerShards.Moment(ledger.now(), MonotonicInstant(of: .now())) }

    func checkIdle() {
        if isIdle { onIdle?() }
    }

    // MARK: - Facts

    /// Passes a fact with its moment to the machine and performs the actions; `over` and `left` come with the fact.
    func tell(
        over: LoopRuns.Finished? = nil,
        left: [OutgoingShard] = [],
        _ fact: (inout WorkerShards, WorkerShards.Moment) -> Void
    ) {
        fact(&shards, now)
        perform(over: over, left: left)
    }

    func connected(_ connection: UInt64) {
        self.connection = connection
        tell { $0.connected(connection, at: $1) }
    }

    /// Notes that the consuming connection is gone, and every lease with it.
    func disconnected() {
        connection = nil
        tell { shards, _ in shards.disconnected() }
    }

    func received(_ message: InboundMessage, connection: UInt64) {
        let shard: Shard
        do throws(ShardError) {
            shard = try Shard(encoded: message.body)
        } catch {
            return park(message, reason: error.reason, detail: error.description, connection: connection)
        }
        let delivery = ShardDelivery(message, connection: connection, generation: shard.generation)
        tell { $0.delivered(shard, delivery, at: $1) }
    }

    // MARK: - Actions

    private func perform(over: LoopRuns.Finished?, left: [OutgoingShard]) {
        // A nested fact gets a buffer of its own.
        var actions: [WorkerShards.Action] = []
        swap(&actions, &spare)
        shards.take(&actions)
        for action in actions {
            switch action {
            case .claim(let order): claim(order)
            case .start(let start): begin(start)
            case .adopt(let key, let epoch, let isLeaseLost, let loop):
                loops[loop].execute { $0.adopt(key, epoch: epoch, isLeaseLost: isLeaseLost) }
            case .stop(let key, let reason, let loop): loops[loop].execute { $0.stop(key, reason) }
            case .takeOver(let key, let loop): takeOver(key, from: loops[loop])
            case .write(let key, let epoch):
                guard let over else { preconditionFailure("\(key) was taken over without a run") }
                ended(over, RunToken(key: key, epoch: epoch, worker: worker))
            case .endCommitted(let key, let epoch, let loop):
                loops[loop].execute { $0.endCommitted(key, epoch: epoch) }
            case .publish(let delivery): publish(left, thenAck: delivery)
            case .ack(let delivery): ack(delivery)
            case .park(let shard, let delivery, let reason): park(shard, delivery, reason: reason)
            case .giveUp(let key, let epoch): giveUp(RunToken(key: key, epoch: epoch, worker: worker))
            case .widen(let queue): makeRoom(queue)
            case .wake(let instant): wake(at: instant)
            case .tellStopped(let keys): loops.markStopped(keys, in: ledger)
            }
        }
        spare = actions
        checkIdle()
    }

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
            returns: order.delivery.returns,
            worker: worker,
            knowsApp: sends && apps.account(app: shard.facts.app, provider: shard.facts.provider) != nil,
            adopting: order.adopting,
            isPaced: apps.isPaced(
                app: shard.facts.app,
                provider: shard.facts.provider,
                urgency: shard.facts.policy.urgency
            ),
            isAlone: order.isAlone,
            overdue: order.overdue,
            judgesSilence: order.judgesSilence,
            content: Claim.Content(shard)
        )
        let now = ledger.now()
        let bound = NIOLoopBound(self, eventLoop: loop)
        // A shard with a slot must not miss it.
        let priority = shard.slot == nil ? shard.lane.priority : min(shard.lane.priority, .withOthers)
        ledger.submit(.normal, priority: priority, scope: .shards) { transaction in
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
                self.tell { $0.claimFailed(order, at: $1) }
            }
        case .success(let result):
            counters.claimed(result.decision, maybeSent: result.maybeSent)
            let answer = WorkerShards.Answer(
                result.decision,
                record: result.record,
                campaign: result.campaign,
                newEnd: result.newEnd
            )
            tell(left: result.unpublished.map(OutgoingShard.init)) {
                $0.claimAnswered(shard.id.key, answer, at: $1)
            }
            noteProgress(of: shard.id.key.campaign)
        }
    }

    /// Tells the planner that a campaign may be done; while one of its shards runs here, it is not.
    func noteProgress(of campaign: UInt32) {
        if !shards.hasShards(of: campaign) { progressed(campaign) }
    }

    /// Starts a claimed shard on its loop.
    private func begin(_ start: WorkerShards.Start) {
        let (shard, progress, epoch) = (start.shard, start.record.progress, start.record.epoch)
        guard let account = apps.runAccount(app: shard.facts.app, provider: shard.facts.provider) else {
            preconditionFailure("\(shard.id) runs without an account")
        }
        tracing?.began(shard, now: ledger.now())
        if shard.slot == nil, let quota = account.account.quota { charges.add(progress.pendingCount, to: quota) }
        // Where no rate counts seconds, a run may be as late as a quota allows.
        let countsSeconds = start.isPaced || apps.pace(of: shard.facts.app) != nil
        loops[start.loop].execute {
            $0.start(
                shard,
                epoch: epoch,
                progress: progress,
                account: account,
                lateness: countsSeconds ? Pacing.lateness : Pacing.quotaLateness,
                isProbe: start.isProbe,
                isUnderRate: countsSeconds,
                stopsForContent: start.stopsForContent
            )
        }
    }

    private func takeOver(_ key: ShardKey, from handle: LoopHandle) {
        let bound = NIOLoopBound(self, eventLoop: loop)
        handle.execute { [loop] sender in
            let over = sender.takeOver(key)
            loop.execute { bound.value.tell(over: over) { $0.tookOver(key, epoch: over?.epoch, at: $1) } }
        }
    }

    private func wake(at instant: MonotonicInstant) {
        let wait = max(Duration.zero, instant.since(now.instant))
        loop.assumeIsolated().scheduleTask(in: TimeAmount(wait)) { self.tell { $0.woke(at: $1) } }
    }
}
