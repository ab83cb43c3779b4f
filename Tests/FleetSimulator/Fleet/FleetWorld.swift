import AMQP
import CSimulatedDisk
import Campaigns
import Delivery
import Logging
import NIOCore
import Operations
import Settings
import Store
import Transport

/// One run of a whole fleet: workers as they ship on one machine with a SQLite ledger, and campaigns for them.
///
/// Safety: used by the process's only thread.
final class FleetWorld: @unchecked Sendable {
    private let plan: Plan
    private let files: FleetFiles
    let trace: Trace
    let observer: Observer
    let scheduler: Scheduler
    let network: SimulatedNetwork
    let broker: Broker
    let provider: PushService
    private var workers: [SimulatedWorkerProcess] = []
    private var started = 0
    /// The clock of the machine that all workers and the producer share.
    private var clock = HostClock(uptime: uptime, wall: epoch)
    /// The process that publishes the campaigns and looks at them.
    private var producer: SimulatedHost?
    private var openedLedger: Ledger?
    private let laws: FleetLaws
    private let events: EventLaws
    private var kept: [AnyObject] = []
    /// The time after which a process that the disk killed is started again, in milliseconds.
    private var killedFor = 1_000
    /// The campaigns that the broker has, and those that are complete.
    private var published: Set<Int> = []
    private var completed: Set<Int> = []

    /// The addresses of the broker and the provider.
    static let brokerAddress = "10.0.0.1:5672"
    static let providerAddress = "10.0.0.2:443"
    /// The wall clock at the beginning: 2026-11-28.
    private static let epoch: Int64 = 1_795_824_000_000_000_000
    /// The time in which everything ends once all faults are over, in milliseconds: a shard whose message was lost is
    /// found after 15 minutes, and its devices may go through the rungs up to ten minutes.
    private static let patience: Int64 = 1_500_000
    /// The time since the machine's boot.
    private static let uptime: Int64 = 977_000_000_000

    init(_ plan: Plan, files: FleetFiles, isPrinted: Bool) {
        self.plan = plan
        self.files = files
        trace = Trace(isPrinted: isPrinted)
        trace.folder = files.folder
        observer = Observer(trace, isCalm: plan.faults.isEmpty)
        laws = FleetLaws(observer, plan)
        scheduler = Scheduler(seed: plan.seed, trace: trace)
        network = SimulatedNetwork(scheduler: scheduler, trace: trace, seed: plan.seed)
        broker = Broker(Self.host("broker", on: scheduler), trace: trace, seed: plan.seed)
        events = EventLaws(observer, broker)
        provider = PushService(Self.host("provider", on: scheduler), trace: trace, seed: plan.seed)
        trace.clock = { [scheduler] in scheduler.now }
        trace.logged = { [observer] in LogLaws.logged($0, observer) }
        simulated_disk_install(plan.seed)
        scheduler.entering = { simulated_disk_enter(Int32($0.number)) }
        network.listen(broker, at: Self.brokerAddress)
        network.listen(provider, at: Self.providerAddress)
        declareTopology()
        broker.faulted = { [observer] in observer.brokerFault($0) }
        provider.faulted = { [observer] in observer.providerFault($0) }
        provider.processed = { [laws] in laws.pushed($1) }
        provider.answered = { [laws] in laws.answered($1, status: $2) }
        scheduler.left = { [unowned self] in if simulated_disk_is_killed(Int32($0.number)) { killed($0) } }
    }

    private static func host(_ name: String, on scheduler: Scheduler) -> SimulatedHost {
        scheduler.host(name, clock: HostClock(uptime: uptime, wall: epoch))
    }

    /// Makes a process on the machine of the ledger.
    private func process(_ name: String) -> SimulatedHost { scheduler.host(name, clock: clock) }

    /// Declares what `fanfare topology apply` declares; all jobs go to the bulk intake.
    private func declareTopology() {
        let manifest = TopologyManifest.builtIn
        for exchange in manifest.exchanges { broker.declare(exchange: exchange.name) }
        for queue in manifest.queues {
            let policy = queue.policy
            broker.declare(
                queue: queue.name,
                QuorumQueue.Policy(
                    ttl: policy.messageTTL.map { Int64($0) * 1_000_000 },
                    deadLetters: policy.deadLetterExchange,
                    deliveryLimit: policy.deliveryLimit,
                    lengthMax: policy.maxLength
                )
            )
        }
        for binding in manifest.bindings {
            guard case .queue(let queue) = binding.destination, binding.header == nil else { continue }
            broker.bind(queue: queue, to: binding.source, key: binding.routingKey.isEmpty ? "#" : binding.routingKey)
        }
        broker.bind(queue: BrokerNames.campaignsQueue, to: BrokerNames.campaigns)
    }

    // MARK: - Running

    /// Runs until all campaigns are complete or a law is broken; returns the breach.
    func run() -> String? {
        for _ in 0..<plan.workers { startWorker() }
        startProducer()
        for fault in plan.faults {
            scheduler.happen(at: Int64(fault.at) * 1_000_000) { [self] in begin(fault.kind) }
        }
        let end = (Int64(plan.limit) + Self.patience) * 1_000_000
        if !scheduler.run(until: end, { observer.breach != nil || isOver }) {
            let all = plan.campaigns
            observer.broke("\(all - completed.count) of \(all) campaigns are not complete", if: completed.count < all)
            observer.broke("the events of campaigns that are complete do not come")
        }
        return observer.breach
    }

    /// True if all campaigns are complete and the broker has their events.
    private var isOver: Bool {
        completed.count == plan.campaigns && completed.allSatisfy { events.isTold(of: CampaignJob.id($0)) }
    }

    func startWorker() {
        started += 1
        let worker = SimulatedWorkerProcess(
            process("worker\(started)"),
            network: network,
            files: files,
            trace: trace
        )
        workers.append(worker)
        worker.start()
    }

    /// Starts a process that publishes what is not published yet, and then looks at the campaigns.
    private func startProducer() {
        let host = process("producer")
        producer = host
        let loop = SimulatedLoop("loop", of: host, network: network)
        scheduler.add({ [self] in Task { await produce(on: loop) } }, to: host.jobs)
    }

    private func produce(on loop: SimulatedLoop) async {
        let job = CampaignJob(endpoint: files.configuration.amqp, devices: plan.devicesPerShard)
        for campaign in 0..<plan.campaigns where !published.contains(campaign) {
            while !(await job.publish(campaign, on: loop, trace)) { try? await Task.sleep(for: .seconds(1)) }
            published.insert(campaign)
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...plan.pause)))
        }
        while completed.count < plan.campaigns {
            try? await Task.sleep(for: .milliseconds(500))
            await look(loop.runQueue.host)
        }
    }

    /// Looks at the open campaigns as `fanfare campaign status` does.
    private func look(_ host: SimulatedHost) async {
        do {
            let ledger = try ledger(of: host)
            for campaign in published.sorted() where !completed.contains(campaign) {
                let id = CampaignJob.id(campaign)
                let status = try await ledger.read { try $0.status(app: FleetFiles.app, id: id, now: ledger.now()) }
                guard let status else { continue }
                laws.seen(status, devices: plan.devicesPerShard)
                if status.stage == .completed { completed.insert(campaign) }
            }
            for parked in try await ledger.read({ try $0.parked(limit: 1) }) {
                observer.broke("\(parked.campaign ?? "?") is parked: \(parked.reason) \(parked.errors)")
            }
        } catch {
            trace.note(host.name, "no status: \(error)")
        }
    }

    /// Opens the ledger once for each producer.
    private func ledger(of host: SimulatedHost) throws -> Ledger {
        if let openedLedger { return openedLedger }
        let ledger = try Ledger.open(
            files.configuration.store,
            create: false,
            threads: .callers { SeededWriter(of: host) }
        )
        openedLedger = ledger
        return ledger
    }

    // MARK: - The end of processes

    /// Notes that the disk ended a process within its step.
    private func killed(_ host: SimulatedHost) {
        guard host.isAlive else { return }
        if host === producer { return restartProducer(after: killedFor) }
        end(host, for: killedFor)
    }

    private func restartProducer(after time: Int) {
        guard let host = producer, host.isAlive else { return }
        trace.note("fault", "the producer ends")
        host.crash()
        network.cutAll(of: host)
        simulated_disk_kill(Int32(host.number))
        keep(openedLedger)
        openedLedger = nil
        after(time) { $0.startProducer() }
    }

    /// Keeps an object for ever: a process that was killed runs no `deinit`.
    private func keep(_ object: AnyObject?) { if let object { kept.append(object) } }
}

extension FleetWorld: FaultTargets {
    var workerHosts: [SimulatedHost] { workers.map(\.host).filter(\.isAlive) }

    var faultyQueues: [String] {
        [
            BrokerNames.workQueue(Lane(provider: ProviderName(rawValue: "apns"), urgency: .bulk)),
            BrokerNames.campaignsQueue,
        ]
    }

    var faultyExchange: String { BrokerNames.retryExchange(Rung.allCases[0], RungSide.allCases[0]) }

    func workerEnded(_ host: SimulatedHost) { simulated_disk_kill(Int32(host.number)) }

    func changeClock(of host: SimulatedHost, _ change: (inout HostClock) -> Void) {
        change(&clock)
        for host in scheduler.hosts where host !== broker.host && host !== provider.host { change(&host.clock) }
    }

    func begin(_ fault: Fault.Disk) {
        switch fault {
        case .full(let writes): simulated_disk_fail(Int32(writes), true)
        case .failing(let writes): simulated_disk_fail(Int32(writes), false)
        case .killing(let writes, let time):
            killedFor = time
            simulated_disk_kill_after(Int32(writes))
        case .powerLoss(let time):
            for host in workerHosts { end(host, for: time) }
            restartProducer(after: time)
            simulated_disk_lose_power()
        }
    }
}

extension FleetWorld {
    /// The counts of the run.
    var summary: String { "\(plan.campaigns) campaigns, \(laws.summary)" }
}
