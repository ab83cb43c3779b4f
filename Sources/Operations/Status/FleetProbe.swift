import Campaigns
package import Delivery
import NIOCore
import NIOPosix
package import Settings
package import Store
package import Transport

/// The state of the fleet at one moment, as far as it could be read.
package struct FleetFacts: Sendable {
    var at: Timestamp
    /// The clock that `at` is from, and this host's distance from it.
    package var clock = ClockStanding(skew: 0, source: .host)
    /// The workers heard of within the last hour.
    var workers: [WorkerRecord] = []
    /// The newest order to read the files again.
    var reloadOrder: ReloadOrder?
    var breakers: [BreakerRecord] = []
    var pauses: [PauseRecord] = []
    var paused: [String] = []
    var toFix: [String] = []
    /// Apps with campaigns but without a worker that has their credentials.
    var stranded: [String] = []
    package var parkedInLedger = ParkedCounts()
    /// The devices on each rung, by the ledger.
    var rungs: [Rung: RetryWait] = [:]
    package var webhooks: [WebhookRecord] = []
    package var ledgerPath = ""
    /// The reason why the ledger could not be read.
    package var ledgerFailure: LedgerError?
    /// The reason why the ledger, which could be read, takes no writes.
    var ledgerWriteFailure: LedgerError?
    var broker = ""
    /// The reason why the broker could not be asked.
    package var brokerFailure: AMQPConnectError?
    /// The faults of the broker's cluster; nil if its management API did not answer.
    package var cluster: BrokerFaults?
    /// The ready messages and consumers by lane, then by rung; the counts of a queue that does not exist are nil.
    var queues: [(name: String, queue: String, isLane: Bool, counts: QueueCounts?)] = []
    var parkedQueue: QueueCounts?

    /// True if a lane has work, so that a second read shows its speed.
    package var isSomethingWaiting: Bool { queues.contains { $0.isLane && ($0.counts?.ready ?? 0) > 0 } }

    /// The facts on which campaigns depend, for the reasons of their states.
    package var forCampaigns: StateFacts.FleetState {
        var state = StateFacts.FleetState()
        state.problems = problems.filter { HealthProblem.Code.stoppingAll.contains($0.code) }
        state.missing = Set(queues.filter { $0.counts == nil }.map(\.queue))
        state.idle = Set(queues.filter { $0.counts?.consumers == 0 }.map(\.queue)).subtracting(withoutQuorum)
        return state
    }

    /// The queues without a majority, of which the broker knows neither messages nor consumers.
    private var withoutQuorum: Set<String> { Set(cluster?.queues ?? []) }

    /// The workers that have reported lately.
    package var liveWorkers: [WorkerRecord] { workers.filter { $0.isLive(now: at) } }

    /// All problems that these facts show, in the words that all who ask share.
    package var problems: [HealthProblem] {
        var problems: [HealthProblem?] = []
        if let brokerFailure { problems.append(.brokerUnreachable(brokerFailure.description)) }
        if let ledgerFailure {
            problems += cluster?.problems ?? []
            problems.append(.ledgerUnreadable(ledgerFailure.cause, fix: ledgerFailure.fix))
        } else {
            problems.append(ledgerWriteFailure?.writeProblem)
            let health = FleetHealth(
                workers: workers,
                clockSource: clock.source,
                breakers: breakers,
                reloadOrder: reloadOrder,
                isLedgerUnwritable: ledgerWriteFailure?.writeProblem.needsPerson == true,
                isBrokerUnreachable: brokerFailure != nil,
                cluster: cluster
            )
            problems += health.problems(now: at)
        }
        problems.append(.queuesMissing(queues.filter { $0.counts == nil }.map(\.queue)))
        let idle = queues.filter {
            $0.isLane && $0.counts?.consumers == 0 && !withoutQuorum.contains($0.queue)
        }.map(\.name)
        if !liveWorkers.isEmpty { problems.append(.noConsumer(idle)) }
        problems += toFix.map { .paused($0) } + stranded.map { .stranded($0) }
        problems += webhooks.map { WebhookView($0).problem }
        problems.append(.parked(parked))
        return problems.compactMap(\.self)
    }

    /// Replaces the numbers of consumers by those whose nodes are there.
    fileprivate mutating func count(_ live: [String: Int]) {
        for index in queues.indices {
            guard let consumers = live[queues[index].queue] else { continue }
            queues[index].counts?.consumers = UInt32(clamping: consumers)
        }
        if let consumers = live[BrokerNames.parkedQueue] { parkedQueue?.consumers = UInt32(clamping: consumers) }
    }

    /// The number of messages that wait for an operator.
    ///
    /// A refused job is its producer's business, and a worker moves what is still in the queue.
    private var parked: Int {
        parkedInLedger.fleets + (parkedQueue.map { $0.consumers == 0 ? Int($0.ready) : 0 } ?? 0)
    }
}

/// Reads ledger and broker; a test write, which is rolled back, tells a ledger that takes none.
package struct FleetProbe: Sendable {
    private let configuration: Configuration
    private let ledger: Ledger?

    /// Creates a reader for what a configuration names; without an open ledger it opens one for each read.
    package init(_ configuration: Configuration, ledger: Ledger? = nil) {
        self.configuration = configuration
        self.ledger = ledger
    }

    /// Reads once; the result has a failure for what cannot be reached.
    package func take() async -> FleetFacts {
        var facts = await takeOfLedger()
        facts.broker = configuration.amqp.description
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let management = ManagementAPI(configuration, loop: loop, timeout: .seconds(3))
        // Not asked for, or not allowed: then the workers' reports and AMQP alone tell.
        async let cluster = try? management.brokerFaults()
        do throws(AMQPConnectError) {
            try await readBroker(&facts)
        } catch {
            facts.brokerFailure = error
        }
        facts.cluster = await cluster
        if facts.cluster?.missing.isEmpty == false, let live = try? await management.liveConsumers() {
            facts.count(live)
        }
        return facts
    }

    /// Reads once what the ledger alone tells.
    package func takeOfLedger() async -> FleetFacts {
        var facts = FleetFacts(at: ledger?.now() ?? WallClock.now().asRead)
        do throws(LedgerError) {
            try await readLedger(&facts)
        } catch {
            facts.ledgerFailure = error
        }
        return facts
    }

    private func readLedger(_ facts: inout FleetFacts) async throws(LedgerError) {
        let ledger = if let ours = self.ledger { ours } else { try Ledger.open(configuration.store, create: false) }
        facts.ledgerPath = ledger.path
        let now = ledger.now()
        (facts.at, facts.clock) = (now, ledger.standing)
        let (workers, order, campaigns, parked, breakers, pauses, webhooks, rungs) = try await ledger.read { reader in
            (
                try reader.knownWorkers(now: now), try reader.reloadOrder(),
                try reader.campaigns(app: nil, isOpen: true, limit: .max), try reader.parkedCounts(),
                try reader.openBreakers(), try reader.pauses(), try reader.webhooks(), try reader.rungWaits()
            )
        }
        do throws(LedgerError) { try await ledger.testWrite() } catch { facts.ledgerWriteFailure = error }
        if self.ledger == nil { await ledger.close() }
        (facts.workers, facts.reloadOrder) = (workers, order)
        facts.breakers = breakers
        facts.pauses = pauses
        facts.webhooks = webhooks
        (facts.parkedInLedger, facts.rungs) = (parked, rungs)
        facts.toFix = campaigns.filter { campaign in
            campaign.facts.stage.isLive && !campaign.facts.pausedBy.isDisjoint(with: AsideReason.needingFix)
        }.map { "\($0.facts.app)/\($0.facts.id)" }
        let known = Set(facts.liveWorkers.flatMap(\.apps))
        let stranded = Set(campaigns.map(\.facts.app)).subtracting(known).sorted()
        facts.stranded = facts.liveWorkers.isEmpty ? [] : stranded
        facts.paused = campaigns.filter { $0.state == "paused" }.map { campaign in
            let reasons = campaign.facts.pauseReasons.map(\.rawValue).sorted().joined(separator: ", ")
            return "\(campaign.facts.app)/\(campaign.facts.id) (\(reasons))"
        }
    }

    private func readBroker(_ facts: inout FleetFacts) async throws(AMQPConnectError) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let client = try await AMQPClient.connect(configuration.amqp, name: "fanfare status", on: loop)
        func read(_ name: String, _ queue: String, isLane: Bool = true) async throws(AMQPConnectError) {
            facts.queues.append((name, queue, isLane, try await client.counts(of: queue)))
        }
        try await read("jobs", BrokerNames.campaignsQueue)
        try await read("jobs.urgent", BrokerNames.urgentCampaignsQueue)
        for lane in Lane.builtIn { try await read(lane.description, BrokerNames.workQueue(lane)) }
        try await read("tracking", BrokerNames.trackingQueue)
        for rung in Rung.allCases {
            for side in RungSide.allCases {
                let name = "retry \(rung.name).\(side.rawValue)"
                try await read(name, BrokerNames.retryQueue(rung, side), isLane: false)
            }
        }
        facts.parkedQueue = try await client.counts(of: BrokerNames.parkedQueue)
        await client.close()
    }
}

extension BreakerRecord {
    /// The breaker in one line, such as `news apns: Outage since …, probes that failed: 3, next probe at …`.
    fileprivate var line: String {
        var line = "\(app) \(provider.rawValue): \(breaker.reason) since \(breaker.since.rfc3339)"
        if breaker.failures > 0 { line += ", probes that failed: \(breaker.failures)" }
        return line + (breaker.probe == nil ? ", next probe at \(breaker.probeAt.rfc3339)" : ", a probe is out")
    }
}

extension HealthProblem.Code {
    /// True if the broker itself has the problem, as all see it.
    fileprivate var isOfBroker: Bool { [.brokerQuorum, .brokerNode, .brokerPartition, .brokerAlarm].contains(self) }

    /// The kind as a mark of a part, such as `LEDGER WRITES`.
    fileprivate var mark: String { String(rawValue.map { $0 == "_" ? " " : $0 }).uppercased() }
}

extension LedgerError {
    /// The problem of a ledger that takes no writes.
    package var writeProblem: HealthProblem {
        // A lock passes, and whoever waits for it tries again.
        if case .busy = self { return .ledgerUnwritable(cause, fix: fix, needsPerson: false) }
        return .ledgerUnwritable(cause, fix: fix, needsPerson: true)
    }
}

extension FleetFacts {
    /// Returns the view for people and scripts; an earlier read tells how fast queues empty.
    package func view(since earlier: FleetFacts) -> FleetStatusView {
        var view = FleetStatusView()
        view.problems = problems
        view.parts = [brokerPart(view.problems), store]
        let missed = Set(FleetHealth(workers: workers, clockSource: clock.source).missed(now: at).map(\.id))
        view.parts += workers.map { worker in
            var part = part(
                worker,
                isMissed: missed.contains(worker.id),
                view.problems.filter { $0.subject == "worker \(worker.name)" }
            )
            part.worker = worker
            return part
        }
        view.parts += webhooks.map { WebhookView($0).health }
        view.backlogs = queues.compactMap { queue in
            guard let counts = queue.counts, queue.isLane || counts.ready > 0 else { return nil }
            return .init(
                name: queue.name,
                messages: Int(counts.ready),
                consumers: Int(counts.consumers),
                drain: drain(of: queue.name, since: earlier),
                wait: queue.isLane ? nil : wait(of: queue.queue)
            )
        }
        view.breakers = breakers.map(\.line)
        view.pauses = pauses.map { "\($0.scope) since \($0.since.rfc3339)" } + paused
        view.parked = parkedInLedger.total + Int(parkedQueue?.ready ?? 0)
        view.refused = parkedInLedger.producers
        return view
    }

    /// Returns the wait of a rung's queue: by the ledger, or else the longest that the rung keeps a message.
    private func wait(of queue: String) -> RetryWait {
        for rung in Rung.allCases {
            for side in RungSide.allCases where BrokerNames.retryQueue(rung, side) == queue {
                var wait = rungs[rung] ?? RetryWait()
                wait.extend(to: wait.until?.advanced(by: side.delay(of: rung) - rung.delay))
                if wait.until == nil { wait.extend(to: at.advanced(by: side.delay(of: rung))) }
                return wait
            }
        }
        return RetryWait()
    }

    private func brokerPart(_ problems: [HealthProblem]) -> FleetStatusView.Health {
        if let brokerFailure { return .init(name: "broker", isWell: false, detail: brokerFailure.description) }
        guard let problem = problems.first(where: { $0.code.isOfBroker }) else {
            return .init(name: "broker", isWell: true, detail: broker)
        }
        return .init(name: "broker", isWell: false, detail: problem.detail, trouble: problem.code.mark)
    }

    private var store: FleetStatusView.Health {
        guard let failure = ledgerFailure ?? ledgerWriteFailure else {
            return .init(name: "store", isWell: true, detail: ledgerPath)
        }
        let trouble = ledgerFailure == nil ? "NO WRITES" : "DOWN"
        return .init(name: "store", isWell: false, detail: failure.description, trouble: trouble)
    }

    /// Returns the health of a worker; `isMissed`: it is silent, and no later worker replaces it.
    private func part(_ worker: WorkerRecord, isMissed: Bool, _ problems: [HealthProblem]) -> FleetStatusView.Health {
        let apps = worker.apps.isEmpty ? "no app" : worker.apps.joined(separator: ", ")
        var facts = ["\(worker.roles.joined(separator: ", "))", apps, "since \(worker.startedAt.rfc3339)"]
        let name = "worker \(worker.name)"
        guard worker.isLive(now: at) else {
            facts.insert("last heard \(worker.lastHeard(now: at))", at: 0)
            let trouble = isMissed ? "SILENT" : "REPLACED"
            return .init(name: name, isWell: false, detail: facts.joined(separator: "; "), trouble: trouble)
        }
        facts += problems.map(\.detail)
        let trouble = problems.first.map { problem in
            problem.code == .clock && worker.standing(clock.source).verdict != .inStep
                ? worker.standing(clock.source).mark : problem.code.mark
        }
        return .init(
            name: name,
            isWell: trouble == nil,
            detail: facts.joined(separator: "; "),
            trouble: trouble ?? ""
        )
    }

    private func drain(of name: String, since earlier: FleetFacts) -> Duration? {
        guard let now = queues.first(where: { $0.name == name })?.counts?.ready,
            let before = earlier.queues.first(where: { $0.name == name })?.counts?.ready, before > now
        else { return nil }
        let elapsed = at.milliseconds - earlier.at.milliseconds
        return .milliseconds(Int64(now) * elapsed / Int64(before - now))
    }
}
