import Campaigns
import Delivery
import Logging
import NIOCore
import Operations
import Store
import Synchronization

/// Publishes the planner's shards on the broker's loop, and passes hints from there to the planner.
final class PlannerDispatcher: Sendable {
    private let loop: any EventLoop
    private let publisher: NIOLoopBound<ShardPublisher>
    private let ledger: Ledger
    private let events: WakeSignal
    private let planner: WakeSignal
    private let logger: Logger
    private let hinted = Mutex(true)
    private let taking = Mutex(Taking())
    private let marks: NIOLoopBound<Marks>

    /// The time that a confirmed row waits for its mark.
    ///
    /// Most rows are claimed before and then need none. A row without its mark is published again after ten seconds
    /// (`Sweep.outboxAge`), which does no harm: the claim lets one message of a shard through. So marks are not synced.
    private static let markDelay = TimeAmount.milliseconds(250)

    /// The rows whose messages were confirmed; confined to the publisher's loop.
    private final class Marks {
        var confirmed: [(key: ShardKey, generation: UInt32)] = []
        var isScheduled = false
    }

    /// The broker's readiness for publishes, and the callers that wait for confirms, which an alarm may hold back.
    private struct Taking {
        var isTaking = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastTicket = 0
    }

    init(_ publisher: ShardPublisher, ledger: Ledger, events: WakeSignal, planner: WakeSignal, logger: Logger) {
        loop = publisher.loop
        self.publisher = NIOLoopBound(publisher, eventLoop: publisher.loop)
        marks = NIOLoopBound(Marks(), eventLoop: publisher.loop)
        self.ledger = ledger
        self.events = events
        self.planner = planner
        self.logger = logger
    }

    /// True while the broker takes publishes: it is connected and not in an alarm.
    var isTaking: Bool { taking.withLock { $0.isTaking } }

    /// Notes that the broker takes publishes, or stops taking them: then all callers stop waiting for confirms.
    func changed(isTaking: Bool) {
        let waiters = taking.withLock { taking in
            taking.isTaking = isTaking
            guard !isTaking else { return [CheckedContinuation<Void, Never>]() }
            defer { taking.waiters = [:] }
            return Array(taking.waiters.values)
        }
        for waiter in waiters { waiter.resume() }
        if isTaking { planner.wake() }
    }

    /// Notes a hint that campaigns may have changed.
    func hint() {
        hinted.withLock { $0 = true }
    }

    /// True if there was a hint since the last `takeHint`.
    var isHinted: Bool { hinted.withLock { $0 } }

    /// Returns true if there was a hint since the last call.
    func takeHint() -> Bool {
        hinted.withLock { hinted in
            defer { hinted = false }
            return hinted
        }
    }

    /// Notes that the outbox may have events.
    func eventsWritten() {
        events.wake()
    }

    /// Publishes shards, and returns when each is answered; confirmed ones are marked a little later.
    ///
    /// While the broker takes no publishes, it returns at once: unconfirmed shards stay in the outbox, and the sweep
    /// publishes them again. A late confirm still counts.
    func publish(_ shards: [ShardToPublish]) async {
        guard !shards.isEmpty,
            let ticket = taking.withLock({ taking -> Int? in
                guard taking.isTaking else { return nil }
                taking.lastTicket += 1
                return taking.lastTicket
            })
        else { return }
        await withCheckedContinuation { waiter in
            let isTaking = taking.withLock { taking in
                if taking.isTaking { taking.waiters[ticket] = waiter }
                return taking.isTaking
            }
            guard isTaking else { return waiter.resume() }
            loop.execute { [self] in
                let counters = Counters(left: shards.count)
                for shard in shards {
                    publisher.value.publish(shard) { [self] isConfirmed in
                        if isConfirmed { counters.confirmed.append((shard.record.id.key, shard.record.generation)) }
                        counters.left -= 1
                        if counters.left == 0 { answered(counters.confirmed, ticket) }
                    }
                }
            }
        }
    }

    private func answered(_ confirmed: [(key: ShardKey, generation: UInt32)], _ ticket: Int) {
        let waiter = taking.withLock { $0.waiters.removeValue(forKey: ticket) }
        waiter?.resume()
        let marks = marks.value
        marks.confirmed += confirmed
        guard !confirmed.isEmpty, !marks.isScheduled else { return }
        marks.isScheduled = true
        loop.scheduleTask(in: Self.markDelay) { [self] in mark() }
    }

    /// Marks the rows confirmed so far, on the publisher's loop; `then` runs when that is written.
    private func mark(then: @escaping @Sendable () -> Void = {}) {
        let marks = marks.value
        marks.isScheduled = false
        guard !marks.confirmed.isEmpty else { return then() }
        let confirmed = marks.confirmed
        marks.confirmed = []
        ledger.submit(.normal, priority: .bulk, scope: .shards) { [ledger] in
            try $0.markOut(confirmed, now: ledger.now())
        } completion: { [logger] result in
            if case .failure(let error) = result {
                logger.error(
                    "the ledger does not take confirms; the sweep publishes again",
                    metadata: ["error": "\(error)"]
                )
            }
            then()
        }
    }

    /// Marks the rows confirmed so far at once, at the end of the planner.
    func markConfirmed() async {
        await withCheckedContinuation { waiter in
            loop.execute { [self] in mark { waiter.resume() } }
        }
    }

    /// The answers of one call; confined to the publisher's loop.
    private final class Counters {
        var left: Int
        var confirmed: [(key: ShardKey, generation: UInt32)] = []

        init(left: Int) {
            self.left = left
        }
    }
}
