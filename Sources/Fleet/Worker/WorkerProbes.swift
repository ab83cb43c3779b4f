import Delivery
import NIOCore
import NIOHTTP1
import Store
import Synchronization

/// What a worker answers to `/metrics`, `/livez` and `/readyz`.
///
/// May be used from any thread. Every figure is read when somebody asks, on the loop that it belongs to: nothing is locked or published while the
/// worker sends. A loop that does not answer in time is what `/livez` is for.
final class WorkerProbes: Sendable {
    /// How long a loop may take to answer before it counts as stuck.
    static let patience = TimeAmount.seconds(3)
    /// How old the ledger's last word may be; it is asked every two seconds.
    private static let ledgerAgeMax = Duration.seconds(15)

    private let context: WorkerContext
    private let core: NIOLoopBound<WorkerCore>
    private let loop: any EventLoop
    private let senders: [LoopHandle]
    private let health: WorkerHealth
    private let fleet: LatestFleetFigures

    init(
        context: WorkerContext,
        core: NIOLoopBound<WorkerCore>,
        loop: any EventLoop,
        senders: [LoopHandle],
        health: WorkerHealth,
        fleet: LatestFleetFigures
    ) {
        self.context = context
        self.core = core
        self.loop = loop
        self.senders = senders
        self.health = health
        self.fleet = fleet
    }

    /// The answer to a request for a path.
    func answer(_ path: String, on prober: any EventLoop) -> EventLoopFuture<ProbeAnswer> {
        switch path {
        case "/metrics":
            return figures(on: prober).map { figures in
                guard let figures else { return Self.stuck }
                return ProbeAnswer(status: .ok, text: figures.exposition, contentType: Exposition.contentType)
            }
        case "/livez":
            return figures(on: prober).map { $0 == nil ? Self.stuck : ProbeAnswer(status: .ok, text: "ok\n") }
        case "/readyz":
            return figures(on: prober).map { figures in
                guard let figures else { return Self.stuck }
                let reasons = self.unreadiness(figures.desk)
                if reasons.isEmpty { return ProbeAnswer(status: .ok, text: "ok\n") }
                return ProbeAnswer(status: .serviceUnavailable, text: reasons.map { $0 + "\n" }.joined())
            }
        default:
            let answer = ProbeAnswer(status: .notFound, text: "there are /metrics, /livez and /readyz\n")
            return prober.makeSucceededFuture(answer)
        }
    }

    /// The same for a service manager.
    func look(on prober: any EventLoop) async -> ServiceLook {
        guard let figures = try? await figures(on: prober).get() else { return .stuck }
        let desk = figures.desk
        return ServiceLook(
            isAlive: true,
            unreadiness: unreadiness(desk),
            doing: desk.running == 0 ? "idle" : "sending: shards in hand \(desk.running)"
        )
    }

    private static var stuck: ProbeAnswer {
        ProbeAnswer(status: .serviceUnavailable, text: "an event loop has not answered for \(patience)\n")
    }

    /// Why no work comes here now; a line each.
    private func unreadiness(_ desk: DeskFigures) -> [String] {
        var reasons: [String] = []
        if health.isDraining { reasons.append("draining: the worker is about to end") }
        if !desk.isTakingWork { reasons.append("quiet: the worker was told to take no work (SIGTSTP)") }
        if !desk.consumer.isUp || !desk.publisher.isUp { reasons.append("broker: not connected") }
        if health.ledgerAge > Self.ledgerAgeMax { reasons.append("ledger: has not taken the worker's report") }
        let standing = context.ledger.standing
        if standing.verdict == .lost { reasons.append("clock: this host's is \(standing.text)") }
        return reasons
    }

    /// Everything at this instant; nil when a loop does not answer.
    private func figures(on prober: any EventLoop) -> EventLoopFuture<WorkerFigures?> {
        let desk = ask(on: prober) { [loop, core] tell in loop.execute { tell(core.value.figures) } }
        let loops = senders.map { sender in
            ask(on: prober) { tell in sender.execute { tell($0.figures) } }
        }
        let (apps, ledger, posted) = (context.apps, context.ledger, context.posted)
        let fleet = fleet.figures.withLock { $0 }
        return desk.and(EventLoopFuture.whenAllSucceed(loops, on: prober)).map { desk, loops in
            guard let desk else { return nil }
            var senders = SenderFigures()
            for loop in loops {
                guard let loop else { return nil }
                senders.add(loop)
            }
            return WorkerFigures(
                senders: senders,
                desk: desk,
                credentialAges: apps.credentialAges(now: ledger.now()),
                ledger: ledger.figures,
                clockSkew: ledger.standing.skew,
                posted: posted.tries,
                fleet: fleet,
                process: .read()
            )
        }
    }

    /// What a loop tells, or nil when it does not in time; what comes later is dropped.
    private func ask<Value: Sendable>(
        on prober: any EventLoop,
        _ order: (@escaping @Sendable (Value) -> Void) -> Void
    ) -> EventLoopFuture<Value?> {
        let promise = prober.makePromise(of: Value?.self)
        let overdue = prober.scheduleTask(in: Self.patience) { promise.succeed(nil) }
        order { value in
            overdue.cancel()
            promise.succeed(value)
        }
        return promise.futureResult
    }
}

/// What a worker knows of itself that no loop owns.
///
/// May be used from any thread.
final class WorkerHealth: Sendable {
    private let draining = Atomic(false)
    private let reportedAt = Atomic(NIODeadline.now().uptimeNanoseconds)

    /// It has begun to stop.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    func drain() { draining.store(true, ordering: .relaxed) }

    /// The ledger has taken the worker's report.
    func reported() { reportedAt.store(NIODeadline.now().uptimeNanoseconds, ordering: .relaxed) }

    /// How long ago that was.
    var ledgerAge: Duration {
        let age = NIODeadline.now() - .uptimeNanoseconds(reportedAt.load(ordering: .relaxed))
        return .nanoseconds(age.nanoseconds)
    }
}
