import Campaigns
import Delivery
import Logging
import NIOCore
import Store
import Synchronization

/// The planner's way to the broker's loop, and the hints that come back from there.
final class PlannerOutlet: Sendable {
    private let loop: any EventLoop
    private let publisher: NIOLoopBound<ShardPublisher>
    private let ledger: Ledger
    private let events: WakeSignal
    private let planner: WakeSignal
    private let logger: Logger
    private let hinted = Mutex(true)
    private let taking = Mutex(Taking())

    /// Whether the broker takes publishes, and who waits for confirms that an alarm may hold back.
    private struct Taking {
        var isTaking = false
        var waiters: [Int: CheckedContinuation<Void, Never>] = [:]
        var lastTicket = 0
    }

    init(_ publisher: ShardPublisher, ledger: Ledger, events: WakeSignal, planner: WakeSignal, logger: Logger) {
        loop = publisher.loop
        self.publisher = NIOLoopBound(publisher, eventLoop: publisher.loop)
        self.ledger = ledger
        self.events = events
        self.planner = planner
        self.logger = logger
    }

    /// Whether the broker takes publishes at this moment: connected, and not in an alarm.
    var isTaking: Bool { taking.withLock { $0.isTaking } }

    /// The broker takes publishes, or takes none: then nobody waits for confirms any more.
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

    /// Somebody says that campaigns may have changed.
    func hint() {
        hinted.withLock { $0 = true }
    }

    /// Whether there was a hint that was not taken yet.
    var isHinted: Bool { hinted.withLock { $0 } }

    /// Whether there was a hint since the last call.
    func takeHint() -> Bool {
        hinted.withLock { hinted in
            defer { hinted = false }
            return hinted
        }
    }

    /// The outbox may have events.
    func eventsWritten() {
        events.wake()
    }

    /// Publishes shards, marks those that the broker confirms, and returns when each is answered.
    ///
    /// While the broker takes none it returns at once: what is not confirmed stays in the outbox, and the sweep publishes
    /// it again. A confirm that comes later still counts.
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
                let tally = Tally(left: shards.count)
                for shard in shards {
                    publisher.value.publish(shard) { [self] isConfirmed in
                        if isConfirmed { tally.confirmed.append((shard.record.id.key, shard.record.generation)) }
                        tally.left -= 1
                        if tally.left == 0 { answered(tally.confirmed, ticket) }
                    }
                }
            }
        }
    }

    private func answered(_ confirmed: [(key: ShardKey, generation: UInt32)], _ ticket: Int) {
        let waiter = taking.withLock { $0.waiters.removeValue(forKey: ticket) }
        guard !confirmed.isEmpty else {
            waiter?.resume()
            return
        }
        ledger.submit(.normal, haste: .withOthers, reach: .shards) {
            try $0.markOut(confirmed, now: WallClock.now())
        } completion: {
            [logger] result in
            if case .failure(let error) = result {
                logger.error(
                    "the ledger does not take confirms; the sweep publishes again",
                    metadata: ["error": "\(error)"]
                )
            }
            waiter?.resume()
        }
    }

    /// Confined to the publisher's loop.
    private final class Tally {
        var left: Int
        var confirmed: [(key: ShardKey, generation: UInt32)] = []

        init(left: Int) {
            self.left = left
        }
    }
}

/// Campaigns of which something was settled here since the planner last looked.
final class ProgressedCampaigns: Sendable {
    private let numbers = Mutex(Set<UInt32>())

    /// Something of a campaign was settled or claimed; true for the first since the planner last looked: wake it.
    func note(_ campaign: UInt32) -> Bool {
        numbers.withLock { numbers in
            defer { numbers.insert(campaign) }
            return numbers.isEmpty
        }
    }

    /// The campaigns since the last call.
    func take() -> Set<UInt32> {
        numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
    }
}
