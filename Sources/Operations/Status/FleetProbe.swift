import Campaigns
package import Delivery
import NIOPosix
import PushProviders
package import Settings
package import Store
package import Transport

/// The state of the fleet at one moment, as far as it could be read.
package struct FleetFacts: Sendable {
    var at: Timestamp
    /// The clock that `at` is from.
    var clockSource = ClockStanding.Source.host
    var workers: [WorkerRecord] = []
    var breakers: [BreakerRecord] = []
    var pauses: [PauseRecord] = []
    var paused: [String] = []
    var toFix: [String] = []
    /// Apps with campaigns but without a worker that has their credentials.
    var stranded: [String] = []
    var parkedInLedger = 0
    var webhooks: [WebhookRecord] = []
    var ledgerPath = ""
    /// The reason why the ledger could not be read.
    package var ledgerFailure: LedgerError?
    var broker = ""
    /// The reason why the broker could not be asked.
    package var brokerFailure: AMQPConnectError?
    /// The ready messages and consumers by lane, then by rung; the counts of a queue that does not exist are nil.
    var queues: [(name: String, isLane: Bool, counts: QueueCounts?)] = []
    var parkedQueue: QueueCounts?

    /// True if a lane has work, so that a second read shows its speed.
    package var isSomethingWaiting: Bool { queues.contains { $0.isLane && ($0.counts?.ready ?? 0) > 0 } }
}

/// Reads ledger and broker without changing anything.
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
        var facts = FleetFacts(at: ledger?.now() ?? WallClock.now().asRead)
        do throws(LedgerError) {
            try await readLedger(&facts)
        } catch {
            facts.ledgerFailure = error
        }
        facts.broker = configuration.amqp.description
        do throws(AMQPConnectError) {
            try await readBroker(&facts)
        } catch {
            facts.brokerFailure = error
        }
        return facts
    }

    private func readLedger(_ facts: inout FleetFacts) async throws(LedgerError) {
        let ledger = if let ours = self.ledger { ours } else { try Ledger.open(configuration.store, create: false) }
        facts.ledgerPath = ledger.path
        let now = ledger.now()
        (facts.at, facts.clockSource) = (now, ledger.standing.source)
        let (workers, campaigns, parked, breakers, pauses, webhooks) = try await ledger.read { reader in
            (
                try reader.liveWorkers(now: now), try reader.campaigns(app: nil, isOpen: true, limit: .max),
                try reader.parkedCount(), try reader.openBreakers(), try reader.pauses(), try reader.webhooks()
            )
        }
        if self.ledger == nil { await ledger.close() }
        facts.workers = workers
        facts.breakers = breakers
        facts.pauses = pauses
        facts.webhooks = webhooks
        facts.parkedInLedger = parked
        facts.toFix = campaigns.filter { campaign in
            campaign.facts.stage.isLive && !campaign.facts.pausedBy.isDisjoint(with: AsideReason.needingFix)
        }.map { "\($0.facts.app)/\($0.facts.id)" }
        let known = Set(workers.flatMap(\.apps))
        let stranded = Set(campaigns.map(\.facts.app)).subtracting(known).sorted()
        facts.stranded = workers.isEmpty ? [] : stranded
        facts.paused = campaigns.filter { $0.state == "paused" }.map { campaign in
            let reasons = campaign.facts.pauseReasons.map(\.rawValue).sorted().joined(separator: ", ")
            return "\(campaign.facts.app)/\(campaign.facts.id) (\(reasons))"
        }
    }

    private func readBroker(_ facts: inout FleetFacts) async throws(AMQPConnectError) {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let client = try await AMQPClient.connect(configuration.amqp, name: "fanfare status", on: loop)
        for lane in Lane.builtIn {
            facts.queues.append((lane.description, true, try await client.counts(of: BrokerNames.workQueue(lane))))
        }
        let tracked = try await client.counts(of: BrokerNames.trackingQueue)
        facts.queues.append(("tracking", true, tracked))
        for rung in Rung.allCases {
            for side in RungSide.allCases {
                let counts = try await client.counts(of: BrokerNames.retryQueue(rung, side))
                facts.queues.append(("retry \(rung.name).\(side.rawValue)", false, counts))
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

extension WorkerRecord {
    /// Returns the state of the host's clock, by the worker's last report.
    package func standing(_ source: ClockStanding.Source) -> ClockStanding {
        ClockStanding(skew: skew ?? 0, source: source)
    }
}

extension ClockStanding {
    /// The fault of the host's clock and its effect; nil when there is none.
    package var problem: String? {
        switch verdict {
        case .inStep: nil
        case .apart: "its host's clock is \(text)"
        case .lost: "its host's clock is \(text): it takes no lease and expires nothing"
        }
    }
}

extension FleetFacts {
    /// Returns the view for people and scripts; an earlier read tells how fast queues empty.
    package func view(since earlier: FleetFacts) -> FleetStatusView {
        var view = FleetStatusView()
        view.parts = [
            .init(
                name: "broker",
                isWell: brokerFailure == nil,
                detail: brokerFailure?.description ?? broker
            ),
            .init(name: "store", isWell: ledgerFailure == nil, detail: ledgerFailure?.description ?? ledgerPath),
        ]
        view.parts += workers.map { worker in
            let apps = worker.apps.isEmpty ? "no app" : worker.apps.joined(separator: ", ")
            let standing = worker.standing(clockSource)
            let clock = standing.problem
            return .init(
                name: "worker \(worker.name)",
                isWell: clock == nil,
                detail: "\(worker.roles.joined(separator: ", ")); \(apps); since \(worker.startedAt.rfc3339)"
                    + (clock.map { "; \($0)" } ?? ""),
                trouble: standing.mark
            )
        }
        view.parts += webhooks.map { WebhookView($0).health }
        view.backlogs = queues.compactMap { queue in
            guard let counts = queue.counts, queue.isLane || counts.ready > 0 else { return nil }
            return .init(
                name: queue.name,
                messages: Int(counts.ready),
                consumers: Int(counts.consumers),
                drain: drain(of: queue.name, since: earlier)
            )
        }
        view.breakers = breakers.map(\.line)
        view.pauses = pauses.map { "\($0.scope) since \($0.since.rfc3339)" } + paused
        view.parked = parkedInLedger + Int(parkedQueue?.ready ?? 0)
        view.needs = needs(parked: view.parked)
        return view
    }

    private func needs(parked: Int) -> [String] {
        var needs: [String] = []
        if let brokerFailure { needs.append(brokerFailure.description) }
        if let ledgerFailure { needs.append(ledgerFailure.description) }
        if ledgerFailure == nil, workers.isEmpty { needs.append("no worker is running") }
        let missing = queues.filter { $0.counts == nil }.map(\.name)
        if !missing.isEmpty { needs.append("queues are missing (\(missing.count)): run fanfare topology apply") }
        let idle = queues.filter { $0.isLane && $0.counts?.consumers == 0 }.map(\.name)
        if !workers.isEmpty, !idle.isEmpty { needs.append("nobody takes from \(idle.joined(separator: ", "))") }
        needs += workers.compactMap { worker in
            worker.standing(clockSource).problem.map { "worker \(worker.name): \($0); set the clock right" }
        }
        needs += toFix.map { "\($0) is paused until somebody fixes it: then fanfare campaign resume \($0)" }
        needs += stranded.map { "no worker has credentials for \($0), which has campaigns" }
        needs += webhooks.compactMap { WebhookView($0).need }
        if parked > 0 {
            let messages = parked == 1 ? "1 message is" : "\(NumberText.grouped(parked)) messages are"
            needs.append("\(messages) parked: see fanfare parked list")
        }
        return needs
    }

    private func drain(of name: String, since earlier: FleetFacts) -> Duration? {
        guard let now = queues.first(where: { $0.name == name })?.counts?.ready,
            let before = earlier.queues.first(where: { $0.name == name })?.counts?.ready, before > now
        else { return nil }
        let elapsed = at.milliseconds - earlier.at.milliseconds
        return .milliseconds(Int64(now) * elapsed / Int64(before - now))
    }
}
