import Campaigns
import Delivery
import NIOCore
import NIOHTTP1
import Operations
import Settings
import Store
import Synchronization

/// The worker's answers to `/metrics`, `/livez` and `/readyz`.
///
/// May be used from any thread. Every metric is read at the request, on the loop that owns it: nothing is locked or
/// published while the worker sends. `/livez` reports a loop that does not answer in time.
final class WorkerProbes: Sendable {
    /// The time after which a silent loop counts as stuck.
    static let answerTimeout = TimeAmount.seconds(3)
    /// The greatest age of the ledger's last answer; the worker reports to it every two seconds.
    private static let ledgerAgeMax = Duration.seconds(15)
    /// The greatest age of a known failure to write; the worker tries again every second.
    private static let ledgerFaultMax = Duration.seconds(5)

    private let context: WorkerContext
    private let core: NIOLoopBound<WorkerCore>
    private let loop: any EventLoop
    private let senders: [LoopHandle]
    private let fleet: LatestFleetMetrics
    /// Probes that a loop did not answer in time.
    private let stalls = Mutex(0)

    init(
        context: WorkerContext,
        core: NIOLoopBound<WorkerCore>,
        loop: any EventLoop,
        senders: [LoopHandle],
        fleet: LatestFleetMetrics
    ) {
        self.context = context
        self.core = core
        self.loop = loop
        self.senders = senders
        self.fleet = fleet
    }

    /// Returns the answer to a request for a path.
    func answer(_ path: String, on prober: any EventLoop) -> EventLoopFuture<ProbeAnswer> {
        switch path {
        case "/metrics":
            return metrics(on: prober).map { metrics in
                guard let metrics else { return Self.stuck }
                return ProbeAnswer(status: .ok, text: metrics.exposition, contentType: Exposition.contentType)
            }
        case "/livez":
            return metrics(on: prober).map { $0 == nil ? Self.stuck : ProbeAnswer(status: .ok, text: "ok\n") }
        case "/readyz":
            return metrics(on: prober).map { metrics in
                guard let metrics else { return Self.stuck }
                let reasons = self.unreadiness(metrics.coordinator)
                if reasons.isEmpty { return ProbeAnswer(status: .ok, text: self.remarks) }
                return ProbeAnswer(status: .serviceUnavailable, text: reasons.map { $0 + "\n" }.joined())
            }
        default:
            let answer = ProbeAnswer(status: .notFound, text: "there are /metrics, /livez and /readyz\n")
            return prober.makeSucceededFuture(answer)
        }
    }

    /// Returns the state for a service manager.
    func serviceStatus(on prober: any EventLoop) async -> ServiceStatus {
        guard let metrics = try? await metrics(on: prober).get() else { return .stuck }
        let coordinator = metrics.coordinator
        return ServiceStatus(
            isAlive: true,
            unreadiness: unreadiness(coordinator),
            doing: coordinator.running == 0 ? "idle" : "sending: shards in hand \(coordinator.running)"
        )
    }

    private static var stuck: ProbeAnswer {
        ProbeAnswer(status: .serviceUnavailable, text: "an event loop has not answered for \(answerTimeout)\n")
    }

    /// The answer of a ready worker, with a line for each problem that does not keep work from it.
    private var remarks: String { (["ok"] + problems.map(\.text)).map { $0 + "\n" }.joined() }

    /// The worker's own problems.
    private var problems: [HealthProblem] {
        context.report.problems(of: context.name, context.ledger.standing, now: context.ledger.now())
    }

    /// Returns the reasons why no work comes here now, a line each.
    private func unreadiness(_ coordinator: CoordinatorMetrics) -> [String] {
        let (health, report) = (context.health, context.report)
        var reasons: [String] = []
        if health.isDraining { reasons.append("draining: the worker is about to end") }
        if !coordinator.isTakingWork { reasons.append("quiet: the worker was told to take no work (SIGTSTP)") }
        if !coordinator.consumer.isUp || !coordinator.publisher.isUp {
            reasons.append("broker: not connected" + Self.why(report.broker))
            // The connection alone does not know which nodes are missing.
            reasons += (report.cluster?.problems ?? []).map { "broker: \($0.text)" }
        }
        if health.ledgerAge > Self.ledgerAgeMax {
            reasons.append("ledger: has not taken the worker's report" + Self.why(report.ledger))
        } else if let fault = report.ledger, context.ledger.now().since(fault.since) >= Self.ledgerFaultMax {
            reasons.append("ledger: does not take the worker's writes" + Self.why(fault))
        }
        let standing = context.ledger.standing
        if standing.verdict == .lost { reasons.append("clock: this host's is \(standing.text)") }
        return reasons
    }

    private static func why(_ fault: WorkerHealth.Fault?) -> String {
        fault.map { " since \($0.since.rfc3339): \($0.reason)" } ?? ""
    }

    /// Returns all metrics at this instant; nil when a loop does not answer.
    private func metrics(on prober: any EventLoop) -> EventLoopFuture<WorkerMetrics?> {
        let began = ContinuousClock.now
        let coordinator = ask(on: prober) { [loop, core] tell in loop.execute { tell(core.value.metrics) } }
        let loops = senders.map { sender in
            ask(on: prober) { tell in sender.execute { tell($0.metrics) } }
        }
        let (context, problems) = (context, problems)
        let (apps, ledger) = (context.apps, context.ledger)
        let fleet = fleet.metrics.withLock { $0 }
        return coordinator.and(EventLoopFuture.whenAllSucceed(loops, on: prober)).map { [self] coordinator, loops in
            let answered = loops.compactMap(\.self)
            guard let coordinator, answered.count == loops.count else {
                stalls.withLock { $0 += 1 }
                return nil
            }
            var senders = SenderMetrics()
            for loop in answered { senders.add(loop) }
            return WorkerMetrics(
                loops: LoopMetrics(stalls: stalls.withLock { $0 }, took: ContinuousClock.now - began),
                senders: senders,
                coordinator: coordinator,
                credentialAges: apps.credentialAges(now: ledger.now()),
                ledger: ledger.metrics,
                clockSkew: ledger.standing.skew,
                problems: problems,
                posted: context.posted.tries,
                fleet: fleet
            )
        }
    }

    /// Returns a loop's answer, nil when there is none in time; a late answer is dropped.
    private func ask<Value: Sendable>(
        on prober: any EventLoop,
        _ order: (@escaping @Sendable (Value) -> Void) -> Void
    ) -> EventLoopFuture<Value?> {
        let promise = prober.makePromise(of: Value?.self)
        let overdue = prober.scheduleTask(in: Self.answerTimeout) { promise.succeed(nil) }
        order { value in
            overdue.cancel()
            promise.succeed(value)
        }
        return promise.futureResult
    }
}
