public import Campaigns

/// Deliveries whose claims wait for a former run (`Claim.Decision.waits`): held unacked, and claimed again later.
///
/// The wait ends with the former run: it is given up or settled, or its worker's row lapses. The ledger says so at the
/// next claim. The wait also ends by itself, once no stream of the former run can be open; from then on a claim says
/// that the run is overdue. A lost connection returns the deliveries to the broker, but the time waited so far still
/// counts. Confined to the worker's control loop; the caller passes the time.
public struct HeldDeliveries: Sendable {
    /// The interval between claims of a held delivery.
    public static let askEvery = Duration.milliseconds(500)
    /// The time after its stream deadline by which a run has written its results.
    public static let timeout = Duration.seconds(5)
    /// The largest number of times that a queue's prefetch is granted again.
    public static let roomsMax = 3
    /// The time without a claim after which a wait is forgotten.
    private static let memory = Duration.seconds(60)

    /// A shard with the message that waits.
    public struct Held: Equatable, Sendable {
        /// The shard.
        public var shard: Shard
        /// The message.
        public var delivery: ShardDelivery
        /// The queue that it came from.
        public var queue: String

        /// A message that waits.
        public init(_ shard: Shard, _ delivery: ShardDelivery, queue: String) {
            self.shard = shard
            self.delivery = delivery
            self.queue = queue
        }
    }

    private struct Wait {
        var epoch: UInt32
        var since: MonotonicInstant
        var askedAt: MonotonicInstant
    }

    private var held: [(held: Held, askAt: MonotonicInstant)] = []
    private var waits: [ShardKey: Wait] = [:]
    private var rooms: [String: Int] = [:]

    /// Nothing is held.
    public init() {}

    /// Messages that are held.
    public var count: Int { held.count }

    /// The instant of the next claim; nil while nothing is held.
    public var nextAt: MonotonicInstant? { held.first?.askAt }

    /// Holds a delivery whose claim is to wait for the run of this epoch.
    public mutating func hold(_ message: Held, epoch: UInt32, now: MonotonicInstant) {
        let key = message.shard.id.key
        if waits[key]?.epoch != epoch { waits[key] = Wait(epoch: epoch, since: now, askedAt: now) }
        waits[key]?.askedAt = now
        held.append((message, now.advanced(by: Self.askEvery)))
    }

    /// Returns, and no longer holds, the deliveries whose claim is to be made again now.
    public mutating func due(now: MonotonicInstant) -> [Held] {
        let due = held.prefix { $0.askAt <= now }.map(\.held)
        held.removeFirst(due.count)
        waits = waits.filter { now.since($0.value.askedAt) < Self.memory }
        return due
    }

    /// The epoch of the former run for which a claim of the shard need not wait any longer; nil while it has to.
    ///
    /// `streamDeadline`: the provider's deadline, after which no stream of that run is open.
    public func overdue(_ key: ShardKey, streamDeadline: Duration, now: MonotonicInstant) -> UInt32? {
        guard let wait = waits[key], now.since(wait.since) >= streamDeadline + Self.timeout else { return nil }
        return wait.epoch
    }

    /// Returns true if a queue's prefetch is to be granted once more, because held messages use up half of it.
    ///
    /// Several shards of an urgent campaign share one message. Call this after holding a delivery, and act on each
    /// true.
    public mutating func needsRoom(in queue: String, prefetch: Int) -> Bool {
        let made = rooms[queue, default: 0]
        guard made < Self.roomsMax else { return false }
        let messages = Set(held.lazy.filter { $0.held.queue == queue }.map(\.held.delivery.tag))
        guard messages.count * 2 >= prefetch * (made * 2 + 1) else { return false }
        rooms[queue] = made + 1
        return true
    }

    /// Notes that the shard's claim was answered otherwise: it waits for nobody.
    public mutating func answered(_ key: ShardKey) { waits[key] = nil }

    /// Drops everything: the consuming connection is gone and the broker has the messages again, or the worker stops.
    public mutating func release() {
        held = []
        rooms = [:]
    }
}
