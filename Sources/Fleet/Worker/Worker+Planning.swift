import Delivery
import Logging
import NIOCore
import Operations
import Settings
import Store
import Transport

extension Worker {
    /// Starts the tasks of the planner's role.
    static func plan(
        _ context: WorkerContext,
        _ core: NIOLoopBound<WorkerCore>,
        _ loop: any EventLoop,
        _ signals: Signals,
        _ progress: ProgressedCampaigns,
        _ dispatcher: PlannerDispatcher,
        _ fleet: LatestFleetMetrics
    ) -> [Task<Void, Never>] {
        let planner = Planner(
            worker: context.worker,
            ledger: context.ledger,
            limits: context.apps,
            dispatcher: dispatcher,
            progress: progress,
            signal: signals.planner,
            poll: signals.poll,
            lostShards: LostShards(
                ledger: context.ledger,
                endpoint: context.configuration.amqp,
                loop: loop
            ),
            prefetch: Int(Prefetch.bulk),
            logger: context.logger
        )
        let purger = Purger(
            worker: context.worker,
            ledger: context.ledger,
            retention: context.configuration.retention,
            logger: context.logger
        )
        let indexKeeper = IndexKeeper(worker: context.worker, ledger: context.ledger, logger: context.logger)
        let fleetPoll = FleetPoll(
            ledger: context.ledger,
            endpoint: context.configuration.amqp,
            loop: loop,
            providers: context.providers,
            withoutQuorum: { context.health.queuesWithoutQuorum },
            latest: fleet
        )
        return [
            Task { await planner.run() },
            Task { await eventRelay(context, core, loop, signals.events) },
            Task { await WebhookRelay(context, loop: loop).run() },
            Task { await purger.run() },
            Task { await indexKeeper.run() },
            Task { await fleetPoll.run() },
        ]
    }

    private static func eventRelay(
        _ context: WorkerContext,
        _ core: NIOLoopBound<WorkerCore>,
        _ loop: any EventLoop,
        _ signal: WakeSignal
    ) async {
        do {
            let publisher = try await loop.submit { NIOLoopBound(core.value.publisher, eventLoop: loop) }.get()
            let relay = EventRelay(
                ledger: context.ledger,
                publisher: publisher,
                loop: loop,
                signal: signal,
                logger: context.logger
            )
            await relay.run()
        } catch {
            context.logger.critical("events are not published", metadata: ["error": "\(SocketErrorText.words(error))"])
        }
    }
}
