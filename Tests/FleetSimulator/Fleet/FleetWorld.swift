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
final class FleetWorld: SimulatedWorld, @unchecked Sendable {
    private let files: FleetFiles
    private var workers: [SimulatedWorkerProcess] = []
    private var started = 0
    /// The clock of the machine that all workers and the producer share.
    private var clock = SimulatedWorld.clock(3)
    /// The process that publishes the campaigns and looks at them.
    private var producer: SimulatedHost?
    private var openedLedger: Ledger?
    private lazy var laws = FleetLaws(observer, plan, scheduler)
    private lazy var events = EventLaws(observer, broker)
    private let ledgerObserver: LedgerObserver
    private var kept: [AnyObject] = []
    /// The time after which a process that the disk killed is started again, in milliseconds.
    private var killedFor = 1_000
    /// The campaigns that the broker has, and the end that each job gives.
    private var published: Set<Int> = []
    private var ends: [Int: String] = [:]
    private var operators: [Int: CampaignOperator] = [:]

    /// The time in which everything ends once all faults are over, in milliseconds: a shard whose message was lost is
    /// found after 15 minutes, and its devices may go through the rungs up to ten minutes.
    private static let patience = 1_500_000

    init(_ plan: Plan, files: FleetFiles, isPrinted: Bool) {
        self.files = files
        // Before the first database is opened.
        simulated_disk_install(plan.seed)
        ledgerObserver = LedgerObserver(path: "\(files.folder)/ledger.db")
        super.init(plan, isPrinted: isPrinted)
        trace.folder = files.folder
        operators = laws.campaigns.reduce(into: [:]) { $0[$1.number] = CampaignOperator($1, trace) }
        scheduler.entering = { simulated_disk_enter(Int32($0.number)) }
        declareTopology()
        observe()
    }

    private func observe() {
        events.watch()
        trace.logged = { [observer] in LogLaws.logged($0, observer) }
        provider.streamOpened = { [laws] in laws.streamOpened(by: $0) }
        provider.processed = { [laws] in laws.pushed($0) }
        provider.answered = { [laws] in laws.answered($0, status: $1) }
        provider.answerArrived = { [laws] in laws.answerArrived($0, status: $1) }
        ledgerObserver.seen = { [laws] in laws.seen($0) }
        ledgerObserver.refused = { [laws] in laws.wasRefused($0, $1) }
        ledgerObserver.parked = { [laws] in laws.wasParked($0, $1) }
        scheduler.left = { [unowned self] in
            if simulated_disk_is_killed(Int32($0.number)) { killed($0) }
            ledgerObserver.look()
        }
    }

    /// Makes a process on the machine of the ledger.
    private func process(_ name: String) -> SimulatedHost { scheduler.host(name, clock: clock) }

    /// Declares what `fanfare topology apply` declares; who publishes chooses the intake, and not a header.
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
        broker.bind(queue: BrokerNames.urgentCampaignsQueue, to: BrokerNames.campaignsSplit)
    }

    // MARK: - Running

    /// Runs until all campaigns are complete or a law is broken; returns the breach.
    func run() -> String? {
        for _ in 0..<plan.workers { startWorker() }
        startProducer()
        if !run(forUpTo: plan.limit + Self.patience, isOver: { isOver }) {
            let unended = laws.unended.map(\.id).joined(separator: ", ")
            observer.broke("\(unended) did not end", if: !unended.isEmpty)
            let untold = laws.ended.filter { !isTold($0) }.map(\.id).joined(separator: ", ")
            observer.broke("what became of \(untold) is not told", if: !untold.isEmpty)
        }
        ledgerObserver.look(isEnd: true)
        return observer.breach
    }

    /// True if all campaigns are over and the broker has their events.
    private var isOver: Bool { laws.unended.isEmpty && laws.ended.allSatisfy(isTold) }

    private func isTold(_ campaign: FleetCampaign) -> Bool {
        events.isTold(of: campaign, wasSent: laws.wasSent(campaign))
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
        for number in published.sorted() { operate(number, on: loop) }
        for campaign in laws.campaigns where !published.contains(campaign.number) {
            let job = CampaignJob(
                id: campaign.id,
                text: campaign.job(expiresAt: end(of: campaign)),
                isFast: campaign.isFast
            )
            while !(await job.publish(to: files.configuration.amqp, on: loop, trace)) {
                try? await Task.sleep(for: .seconds(1))
            }
            published.insert(campaign.number)
            operate(campaign.number, on: loop)
            try? await Task.sleep(for: .milliseconds(Int.random(in: 0...plan.pause)))
        }
        while !laws.unended.isEmpty {
            try? await Task.sleep(for: .milliseconds(500))
            await look(loop.runQueue.host)
        }
    }

    /// Has the operator of a campaign give the orders that are left.
    private func operate(_ number: Int, on loop: SimulatedLoop) {
        guard let campaignOperator = operators[number] else { return }
        Task { [files] in
            await campaignOperator.run { order in
                try await order.give(
                    app: FleetFiles.app,
                    id: campaignOperator.campaign.id,
                    by: "operator",
                    in: try self.ledger(of: loop.runQueue.host),
                    broker: files.configuration.amqp,
                    on: loop
                )
            }
        }
    }

    /// Returns the end of a campaign that has one, which is the same each time its job is published.
    private func end(of campaign: FleetCampaign) -> String? {
        guard let after = campaign.endsAfter else { return nil }
        if let end = ends[campaign.number] { return end }
        let end = Timestamp(milliseconds: (Self.epoch + scheduler.now) / 1_000_000 + Int64(after)).rfc3339
        ends[campaign.number] = end
        return end
    }

    /// Looks at the open campaigns as `fanfare campaign status` does.
    private func look(_ host: SimulatedHost) async {
        do {
            let ledger = try ledger(of: host)
            for id in laws.unended.map(\.id) {
                let status = try await ledger.read { try $0.status(app: FleetFiles.app, id: id, now: ledger.now()) }
                if let status { laws.shown(status) }
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
            BrokerNames.urgentCampaignsQueue,
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
            laws.powerLost()
        }
    }
}

extension FleetWorld {
    /// The counts of the run.
    var summary: String { laws.summary }
}
