import Campaigns
import Delivery
package import Logging
import NIOCore
package import Operations
import PushProviders
package import Settings
import Store
import Transport

/// A worker: intake, planner and sender on the queues of one broker and one ledger (design, section 2).
///
/// `start` returns when the worker is up; `stop` drains it. All methods may be called from any task.
package final class Worker: Sendable {
    let context: WorkerContext
    private let group: any EventLoopGroup
    private let core: NIOLoopBound<WorkerCore>
    let loop: any EventLoop
    let senders: [LoopHandle]
    let settings: HotSettings
    /// The address of metrics and probes; nil without one.
    private let probes: ProbeServer?
    private let tasks: [Task<Void, Never>]
    let manager: Supervisor?
    /// An element for each order to read the files again (`fanfare app reload`) that the worker has to answer.
    package let reloadRequests: AsyncStream<Void>
    /// Reports the worker's state to the service manager.
    private let supervision: Task<Void, Never>?

    private init(
        context: WorkerContext,
        group: any EventLoopGroup,
        core: NIOLoopBound<WorkerCore>,
        loop: any EventLoop,
        senders: [LoopHandle],
        probes: ProbeServer?,
        answers: WorkerProbes,
        tasks: [Task<Void, Never>],
        reloadRequests: AsyncStream<Void>,
        manager: Supervisor?
    ) {
        self.context = context
        self.group = group
        self.core = core
        self.loop = loop
        self.senders = senders
        self.settings = HotSettings(context.configuration)
        self.probes = probes
        self.tasks = tasks
        self.reloadRequests = reloadRequests
        self.manager = manager
        supervision = manager.map { manager in
            Task { await manager.run { await answers.serviceStatus(on: probes?.loop ?? loop) } }
        }
    }

    /// Starts a worker.
    ///
    /// Throws `ConfigurationError`, `LedgerError`, `AMQPConnectError` or `WorkerError`, each with one clear line.
    /// The files were read after `readAt`, so the start answers the reload orders before it. `manager` learns when the
    /// worker is ready, lives, reads its files again and ends. `host` is the process that it works in.
    package static func start(
        _ configuration: Configuration,
        apps settings: [AppConfiguration],
        readAt: ContinuousClock.Instant,
        logger: Logger,
        manager: Supervisor? = nil,
        host: WorkerHost = .process
    ) async throws -> Worker {
        let apps = try AppDirectory(settings)
        let listen = configuration.worker
        let probes =
            host.answersProbes
            ? try await ProbeServer.start(listen.listen, isGiven: listen.listenIsGiven) : nil
        let group = host.loops(configuration.worker.loops)
        do {
            try await check(configuration, on: group.next())
            return try await withLedger(configuration.store, logger, host.threads) { ledger in
                let context = try await register(
                    configuration,
                    as: host.name,
                    apps,
                    readAt,
                    ledger,
                    on: group.next(),
                    logger
                )
                return try await assemble(context, group, probes, manager)
            }
        } catch {
            await probes?.stop()
            try? await group.shutdownGracefully()  // the first error is the one to report
            throw error
        }
    }

    /// Opens the ledger for the rest of the start, and closes it again when that throws.
    static func withLedger<Value>(
        _ location: Configuration.StoreLocation,
        _ logger: Logger,
        _ threads: LedgerThreads = .own,
        _ body: (Ledger) async throws -> Value
    ) async throws -> Value {
        let ledger = try Ledger.open(location, create: true, logger: logger, threads: threads)
        do {
            return try await body(ledger)
        } catch {
            await ledger.close()
            throw error
        }
    }

    private static func register(
        _ configuration: Configuration,
        as name: String,
        _ apps: AppDirectory,
        _ readAt: ContinuousClock.Instant,
        _ ledger: Ledger,
        on loop: any EventLoop,
        _ logger: Logger
    ) async throws -> WorkerContext {
        let roles = configuration.worker.roles.map(\.rawValue).sorted()
        let filesReadAt = ledger.now().advanced(by: readAt - ContinuousClock.now)
        let (id, order) = try await ledger.write(.synced) {
            try $0.setAskedEvents(apps.askedEvents)
            try $0.setWebhooks(apps.webhookEntries, now: ledger.now())
            let id = try $0.registerWorker(
                name: name,
                roles: roles,
                accounts: apps.reported,
                skew: ledger.standing.skew,
                now: ledger.now()
            )
            return (id, try $0.reader.reloadOrder())
        }
        return WorkerContext(
            configuration: configuration,
            name: name,
            worker: id,
            ledger: ledger,
            apps: apps,
            providers: ProviderRegistry.providers.map(\.name),
            logger: logger,
            spans: configuration.collector.map { SpanRelay($0, worker: name, loop: loop, logger: logger) },
            reloads: ReloadRecorder(newest: order, filesReadAt: filesReadAt, apps: apps.names.count)
        )
    }

    private static func check(_ configuration: Configuration, on loop: any EventLoop) async throws {
        let lines = try await TopologyTool(configuration, loop: loop).passiveCheck()
        guard lines.isEmpty else { throw WorkerError.topology(lines) }
    }

    private static func management(_ configuration: Configuration, on loop: any EventLoop) -> ManagementAPI? {
        configuration.management == nil ? nil : ManagementAPI(configuration, loop: loop)
    }

    // MARK: - Assembly

    private static func assemble(
        _ context: WorkerContext,
        _ group: any EventLoopGroup,
        _ probes: ProbeServer?,
        _ manager: Supervisor?
    ) async throws -> Worker {
        let loops = Array(group.makeIterator())
        guard let loop = loops.first else { preconditionFailure("a worker without a loop") }
        let (core, streams) = try await loop.submit {
            let core = WorkerCore(context, loop: loop)
            return (NIOLoopBound(core, eventLoop: loop), core.intake.streams)
        }.get()
        let senders = try await makeSenders(context, loops, core, loop)
        let signals = Signals()
        let progress = ProgressedCampaigns()
        // Two requests that come while files are read count as one.
        let (reloads, reload) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
        let dispatcher = try await loop.submit {
            let core = core.value
            let dispatcher = makeDispatcher(context, core, signals)
            core.publishing = { dispatcher.changed(isTaking: $0) }
            core.use(SenderLoops(senders))
            core.coordinator.progressed = { campaign in
                if progress.note(campaign) { signals.planner.wake() }
            }
            core.intake.accepted = {
                dispatcher.hint()
                signals.planner.wake()
                signals.events.wake()
            }
            core.hinted = {
                dispatcher.hint()
                signals.planner.wake()
                signals.poll.wake()
            }
            core.reloadAsked = { reload.yield() }
            core.start()
            return dispatcher
        }.get()
        let fleet = LatestFleetMetrics()
        let answers = WorkerProbes(
            context: context,
            core: core,
            loop: loop,
            senders: senders,
            fleet: fleet
        )
        probes?.use(answers.answer)
        var tasks = run(context, core, loop, streams, signals, progress, dispatcher, fleet)
        if context.sends { tasks.append(Task { await measureAnswers(context, senders) }) }
        announce(context, probes)
        return Worker(
            context: context,
            group: group,
            core: core,
            loop: loop,
            senders: senders,
            probes: probes,
            answers: answers,
            tasks: tasks,
            reloadRequests: reloads,
            manager: manager
        )
    }

    private static func makeDispatcher(
        _ context: WorkerContext,
        _ core: WorkerCore,
        _ signals: Signals
    ) -> PlannerDispatcher {
        PlannerDispatcher(
            core.publisher,
            ledger: context.ledger,
            events: signals.events,
            planner: signals.planner,
            logger: context.logger
        )
    }

    private static func announce(_ context: WorkerContext, _ probes: ProbeServer?) {
        context.logger.info(
            "worker is up",
            metadata: [
                "worker": "\(context.name)", "broker": "\(context.configuration.amqp)",
                "ledger": "\(context.ledger.path)", "unflushed": "\(context.configuration.worker.unflushed)",
                "metrics": "\(probes.map { "http://\($0.address)/metrics" } ?? "none")",
            ]
        )
    }

    struct Signals: Sendable {
        let planner = WakeSignal()
        let events = WakeSignal()
        let poll = WakeSignal()
    }

    private static func makeSenders(
        _ context: WorkerContext,
        _ loops: [any EventLoop],
        _ core: NIOLoopBound<WorkerCore>,
        _ loop: any EventLoop
    ) async throws -> [LoopHandle] {
        let (reports, lease) = try await loop.submit {
            (CoordinatorReports(core.value.coordinator, core.value.incidents, loop: loop), core.value.lease)
        }.get()
        var handles: [LoopHandle] = []
        for sending in loops {
            let handle = try await sending.submit {
                LoopHandle(
                    SenderLoop(
                        loop: sending,
                        worker: context.worker,
                        ledger: context.ledger,
                        loops: loops.count,
                        unflushedMax: unflushedMax(context.configuration, loops: loops.count),
                        reports: reports,
                        lease: lease,
                        logger: context.logger
                    )
                )
            }.get()
            handles.append(handle)
        }
        return handles
    }

    private static func run(
        _ context: WorkerContext,
        _ core: NIOLoopBound<WorkerCore>,
        _ loop: any EventLoop,
        _ streams: [AsyncStream<IntakeCoordinator.Item>],
        _ signals: Signals,
        _ progress: ProgressedCampaigns,
        _ dispatcher: PlannerDispatcher,
        _ fleet: LatestFleetMetrics
    ) -> [Task<Void, Never>] {
        var tasks: [Task<Void, Never>] = []
        tasks.append(
            Task {
                await heartbeat(context) {
                    loop.execute { core.value.coordinator.tell { $0.reported(at: $1) } }
                }
            }
        )
        tasks.append(Task { await testWrites(context) })
        let poll = LedgerPoll(context: context, core: core, loop: loop, signal: signals.poll)
        tasks.append(Task { await poll.run() })
        if let management = management(context.configuration, on: loop) {
            tasks.append(
                Task { await ClockProbe(management: management, health: context.health, logger: context.logger).run() }
            )
            let cluster = ClusterProbe(
                management: management,
                health: context.health,
                ledger: context.ledger,
                logger: context.logger
            )
            tasks.append(Task { await cluster.run() })
        }
        if let spans = context.spans { tasks.append(Task { await spans.run() }) }
        let roles = context.configuration.worker.roles
        if roles.contains(.intake) {
            for stream in streams {
                tasks.append(
                    Task {
                        await IntakeCoordinator.run(stream, context.intake, logger: context.logger) { verdict, item in
                            loop.execute { core.value.intake.decided(verdict, item) }
                        }
                    }
                )
            }
        }
        if roles.contains(.planner) {
            tasks += plan(context, core, loop, signals, progress, dispatcher, fleet)
        }
        return tasks
    }

    // MARK: - Stopping

    /// Stops taking new work and stays up (TSTP); what runs continues.
    package func quiet() {
        loop.execute { [core] in core.value.stopConsuming {} }
    }

    /// Takes work again (CONT).
    package func resume() {
        loop.execute { [core] in core.value.resumeConsuming() }
    }

    /// Drains: takes no new work, lets shards run on for `worker.drain`, hands over the rest, and closes.
    package func stop() async {
        manager?.stopping()
        context.health.drain()
        await settle { core, done in core.stopConsuming(done) }
        if await !isIdle(within: settings.drain) {
            loop.execute { [core] in core.value.coordinator.tell { shards, _ in shards.handOverAll() } }
            if await !isIdle(within: .seconds(10)) {
                context.logger.warning("not everything was handed over; the broker gives it to another worker")
            }
        }
        for task in tasks { task.cancel() }
        await settle { core, done in
            core.intake.finish()
            done()
        }
        for task in tasks { await task.value }
        await closeAll()
    }

    private func closeAll() async {
        // From here on loops end, so nobody may probe them.
        supervision?.cancel()
        await supervision?.value
        for sender in senders {
            await withCheckedContinuation { waiter in
                sender.execute { $0.close { waiter.resume() } }
            }
        }
        await settle { core, done in core.close(done) }
        do {
            let id = context.worker
            try await context.ledger.write(.normal) { try $0.removeWorker(id) }
        } catch {
            context.logger.notice(
                "the worker's row stays, so status misses the worker",
                metadata: ["error": "\(error)"]
            )
        }
        await context.ledger.close()
        await probes?.stop()
        try? await group.shutdownGracefully()  // the process ends anyway
        context.logger.info("worker has stopped")
    }

    /// Runs a step on the core's loop and waits until it has ended.
    private func settle(_ step: @escaping @Sendable (WorkerCore, @escaping () -> Void) -> Void) async {
        await withCheckedContinuation { waiter in
            loop.execute { [core] in step(core.value) { waiter.resume() } }
        }
    }

    /// Returns true if nothing runs before the time is over.
    private func isIdle(within time: Duration) async -> Bool {
        await withCheckedContinuation { waiter in
            loop.execute { [core, loop] in
                let once = Once(waiter)
                let coordinator = core.value.coordinator
                coordinator.onIdle = {
                    coordinator.onIdle = nil
                    coordinator.tell { shards, _ in shards.beginNothing() }
                    once.resume(true)
                }
                coordinator.checkIdle()
                loop.assumeIsolated().scheduleTask(in: TimeAmount(time)) {
                    coordinator.onIdle = nil
                    once.resume(false)
                }
            }
        }
    }

    /// Resumes a continuation once; confined to the core's loop.
    private final class Once {
        private var waiter: CheckedContinuation<Bool, Never>?

        init(_ waiter: CheckedContinuation<Bool, Never>) {
            self.waiter = waiter
        }

        func resume(_ value: Bool) {
            waiter?.resume(returning: value)
            waiter = nil
        }
    }
}
