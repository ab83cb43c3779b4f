import Campaigns
import Delivery
import NIOCore
import Store
import Synchronization

/// The planner's way to the broker's loop, and the hints that come back from there.
final class PlannerOutlet: Sendable {
    private let loop: any EventLoop
    private let publisher: NIOLoopBound<ShardPublisher>
    private let events: WakeSignal
    private let hinted = Mutex(true)

    init(_ publisher: ShardPublisher, events: WakeSignal) {
        loop = publisher.loop
        self.publisher = NIOLoopBound(publisher, eventLoop: publisher.loop)
        self.events = events
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

    /// Publishes shards and returns those that the broker has confirmed.
    func publish(_ shards: [ShardToPublish]) async -> [(key: ShardKey, generation: UInt32)] {
        await withCheckedContinuation { waiter in
            let publisher = publisher
            loop.execute {
                let tally = Tally(left: shards.count, waiter: waiter)
                for shard in shards {
                    publisher.value.publish(shard) { isConfirmed in
                        if isConfirmed { tally.confirmed.append((shard.record.id.key, shard.record.generation)) }
                        tally.left -= 1
                        if tally.left == 0 { tally.waiter.resume(returning: tally.confirmed) }
                    }
                }
            }
        }
    }

    /// Confined to the publisher's loop.
    private final class Tally {
        var left: Int
        var confirmed: [(key: ShardKey, generation: UInt32)] = []
        let waiter: CheckedContinuation<[(key: ShardKey, generation: UInt32)], Never>

        init(left: Int, waiter: CheckedContinuation<[(key: ShardKey, generation: UInt32)], Never>) {
            self.left = left
            self.waiter = waiter
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
