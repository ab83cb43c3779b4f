import AMQP
import Campaigns
import Delivery
import Logging
import NIOCore
import Operations
import Settings
import Store
import Transport

/// A worker's two broker connections and the coordinators behind them.
///
/// Confined to one loop. One connection consumes and acks, the other publishes, because a broker in alarm stops
/// reading from connections that publish.
final class WorkerCore {
    let loop: any EventLoop
    let coordinator: WorkCoordinator
    let intake: IntakeCoordinator
    let tracking: TrackingCoordinator
    let publisher: ShardPublisher
    let incidents: ProviderIncidents
    private let writer: LedgerWriter
    private let connection: AMQPPublisher
    private var consumer: AMQPConsumer?
    /// The lease that the sending loops check.
    let lease = BrokerLease()
    private let ledger: Ledger
    private let health: HealthRecorder
    private let logger: Logger
    /// Called at a hint that campaigns may have changed.
    var hinted: () -> Void = {}
    /// Called at an order to read the files again.
    var reloadAsked: () -> Void = {}
    /// Called when the broker starts or stops taking publishes.
    var publishing: (_ isTaking: Bool) -> Void = { _ in }
    private var wasUp = true
    private var wasBlocked = false

    init(_ context: WorkerContext, loop: any EventLoop) {
        self.loop = loop
        ledger = context.ledger
        health = context.health
        logger = context.logger
        connection = AMQPPublisher(loop: loop, endpoint: context.configuration.amqp, name: "\(context.name) publisher")
        publisher = ShardPublisher(loop: loop, publisher: connection, ledger: context.ledger)
        writer = LedgerWriter(loop: loop, ledger: context.ledger, health: context.health, logger: context.logger)
        incidents = ProviderIncidents(writer: writer, logger: context.logger)
        coordinator = WorkCoordinator(context, loop: loop, writer: writer, publisher: publisher)
        intake = IntakeCoordinator(
            work: coordinator,
            queues: [BrokerNames.urgentCampaignsQueue, BrokerNames.campaignsQueue]
        )
        tracking = TrackingCoordinator(
            loop: loop,
            ledger: context.ledger,
            work: coordinator,
            retention: context.configuration.retention,
            logger: context.logger
        )
        connectConsumer(context)
    }

    private func connectConsumer(_ context: WorkerContext) {
        let consumer = AMQPConsumer(
            loop: loop,
            endpoint: context.configuration.amqp,
            name: "\(context.name) consumer",
            subscriptions: Self.subscriptions(context),
            handlers: AMQPConsumer.Handlers(
                connected: { [unowned self] in up($0) },
                message: { [unowned self] in received($0, $1) },
                disconnected: { [unowned self] in down($0) },
                subscriptionLost: { [unowned self] queue in
                    logger.error("a queue was deleted; run `fanfare topology apply`", metadata: ["queue": "\(queue)"])
                }
            )
        )
        self.consumer = consumer
        tracking.ack = { tag, connection in consumer.ack(tag, generation: connection) }
        coordinator.makeRoom = { consumer.widen($0) }
        coordinator.ack = { consumer.ack($0.tag, generation: $0.connection) }
    }

    private static func subscriptions(_ context: WorkerContext) -> [AMQPConsumer.Subscription] {
        let roles = context.configuration.worker.roles
        var result: [AMQPConsumer.Subscription] = [
            .listener(exchange: BrokerNames.control, prefix: BrokerNames.controlQueuePrefix(worker: context.name))
        ]
        if roles.contains(.sender) {
            for provider in context.providers {
                result.append(queue(Lane(provider: provider, urgency: .urgent), prefetch: Prefetch.urgent))
                result.append(queue(Lane(provider: provider, urgency: .bulk), prefetch: Prefetch.bulk))
            }
        }
        if roles.contains(.intake) {
            result.append(.queue(BrokerNames.urgentCampaignsQueue, prefetch: Prefetch.campaign))
            result.append(.queue(BrokerNames.campaignsQueue, prefetch: Prefetch.campaign))
            result.append(.queue(BrokerNames.parkedQueue, prefetch: Prefetch.parked))
        }
        if roles.contains(.tracking) {
            result.append(.queue(BrokerNames.trackingQueue, prefetch: TrackingCoordinator.prefetch))
        }
        return result
    }

    private static func queue(_ lane: Lane, prefetch: UInt16) -> AMQPConsumer.Subscription {
        .queue(BrokerNames.workQueue(lane), prefetch: prefetch)
    }

    /// Sets the sending loops, once.
    func use(_ loops: SenderLoops) {
        coordinator.loops = loops
        incidents.loops = loops
    }

    /// Starts to connect.
    func start() {
        connection.onChange = { [unowned self] in publishingChanged($0) }
        connection.start()
        consumer?.start()
        ledgerRead(at: .now())
        renewLease()
    }

    /// Notes that the knowledge of the campaigns is as of this instant.
    func ledgerRead(at instant: NIODeadline) {
        if lease.know(until: instant + TimeAmount(Supersession.knowledgeLasts)) { leaseHolds() }
    }

    /// Resumes sending after the lease had run out without a lost connection.
    private func leaseHolds() {
        coordinator.loops.executeAll { $0.demandChanged() }
    }

    private func renewLease() {
        if lease.renew(until: consumer?.isHeldUntil) { leaseHolds() }
        loop.assumeIsolated().scheduleTask(in: .seconds(1)) { [weak self] in self?.renewLease() }
    }

    // MARK: - The publishing connection

    private func publishingChanged(_ error: AMQPConnectError?) {
        if connection.state == .connected {
            health.connected(.publisher)
        } else if let error {
            health.lost(.publisher, error.description, at: ledger.now())
        }
        let isBlocked = connection.isBlocked
        if isBlocked != wasBlocked {
            wasBlocked = isBlocked
            health.alarm(isOn: isBlocked, at: ledger.now())
            logger.notice(isBlocked ? "the broker is in an alarm and takes no publishes" : "the broker's alarm is over")
        }
        publishing(connection.state == .connected && !isBlocked)
    }

    // MARK: - The consuming connection

    private func up(_ generation: UInt64) {
        if !wasUp { logger.notice("the broker is back") }
        wasUp = true
        health.connected(.consumer)
        use(generation)
    }

    /// Notes a connection at its first message, which may come before the last subscription is confirmed.
    private func use(_ generation: UInt64) {
        guard coordinator.connection != generation else { return }
        coordinator.connected(generation)
        lease.renew(until: consumer?.isHeldUntil)
    }

    private func down(_ error: AMQPConnectError) {
        if wasUp {
            logger.error("the broker is gone; shards in flight go on, no new ones", metadata: ["error": "\(error)"])
        }
        wasUp = false
        health.lost(.consumer, error.description, at: ledger.now())
        lease.renew(until: nil)
        tracking.disconnected()
        coordinator.disconnected()
    }

    private func received(_ message: InboundMessage, _ generation: UInt64) {
        use(generation)
        switch message.queue {
        case BrokerNames.campaignsQueue, BrokerNames.urgentCampaignsQueue:
            intake.received(message, connection: generation)
        case BrokerNames.parkedQueue: moveParked(message, generation)
        case BrokerNames.trackingQueue: tracking.received(message, connection: generation)
        case let queue where queue.hasPrefix("fanfare.v1.work."): coordinator.received(message, connection: generation)
        // The order is in the ledger, and an earlier version's has only the message.
        case _ where message.properties.type == ControlHint.reloadType && message.body.isEmpty: reloadAsked()
        default: hinted()
        }
    }

    private func moveParked(_ message: InboundMessage, _ generation: UInt64) {
        let now = ledger.now()
        let (row, shard) = ParkedMover.row(message, now: now)
        let tag = message.deliveryTag
        writer.write(.synced, "a parked message") {
            try $0.park(row, shard: shard, now: now)
        } then: { [unowned self] in
            consumer?.ack(tag, generation: generation)
        }
    }

    // MARK: - Metrics

    /// The metrics of the worker's broker side.
    var metrics: CoordinatorMetrics {
        CoordinatorMetrics(
            counters: coordinator.counters,
            tracking: tracking.counters,
            consumer: ConnectionMetrics(isUp: consumer?.state == .connected, made: consumer?.generation ?? 0),
            publisher: ConnectionMetrics(isUp: connection.state == .connected, made: connection.generation),
            isTakingWork: consumer?.isStopped == false,
            isBlocked: connection.isBlocked,
            unconfirmed: connection.unconfirmedCount,
            unpublished: connection.waitingCount,
            running: coordinator.shards.count
        )
    }

    // MARK: - Stopping

    /// Stops taking new messages; those taken continue.
    func stopConsuming(_ completion: @escaping () -> Void) {
        guard let consumer else { return completion() }
        consumer.stopConsuming(completion: completion)
    }

    /// Takes messages again.
    func resumeConsuming() {
        guard let consumer, consumer.isStopped else { return }
        // A new connection is needed: the broker takes back what was unacknowledged.
        consumer.resumeConsuming()
        tracking.disconnected()
        coordinator.disconnected()
    }

    /// Closes both connections, the publisher's after its confirms.
    func close(_ completion: @escaping () -> Void) {
        connection.close { [self] in
            guard let consumer else { return completion() }
            consumer.close(completion: completion)
        }
    }
}
