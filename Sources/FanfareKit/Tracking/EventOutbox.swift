import Foundation

/// Which events go to the server when; no clock, no I/O.
///
/// In order, in batches, one batch at a time. An event leaves when the server has taken it or will never take it.
struct EventOutbox {
    /// The server takes no more in one request.
    static let batchMax = 500
    /// Older ones go first when there are more: a phone that is offline for weeks keeps what is newest.
    static let keptMax = 10_000

    /// What the server said of a batch.
    enum Answer: Equatable {
        case taken
        /// Nothing of it was stored because of one event (the index), or of who knows which, for a reason.
        case refused(index: Int?, reason: String)
        /// The device is not registered (any more): the batch waits for that.
        case notRegistered
        /// The server or the network is not there; so many seconds were asked for.
        case unavailable(retryAfter: TimeInterval?)
    }

    private(set) var events: [TrackedEvent] = []
    private var sending: [TrackedEvent] = []
    private var notBefore = Date.distantPast
    private var backoff = Backoff()
    private var batchSize = Self.batchMax
    /// Nothing is sent until the device is registered.
    private(set) var isRegistered: Bool

    init(_ events: [TrackedEvent] = [], isRegistered: Bool) {
        self.events = Array(events.suffix(Self.keptMax))
        self.isRegistered = isRegistered
    }

    /// When the next batch may go; nil: when something happens.
    var wakeAt: Date? { isRegistered && sending.isEmpty && !events.isEmpty ? notBefore : nil }

    /// Takes an event in; the ids of those that have no room any more.
    mutating func add(_ event: TrackedEvent) -> [UUID] {
        guard !events.contains(where: { $0.id == event.id }) else { return [] }
        events.append(event)
        guard events.count > Self.keptMax, sending.isEmpty else { return [] }
        let gone = events.prefix(events.count - Self.keptMax).map(\.id)
        events.removeFirst(gone.count)
        return gone
    }

    /// The batch that is to be sent now; nil for none.
    mutating func next(now: Date) -> [TrackedEvent]? {
        guard let wakeAt, wakeAt <= now else { return nil }
        sending = Array(events.prefix(batchSize))
        return sending
    }

    /// The server answered, or did not; the ids that are of no more use.
    ///
    /// `chance` is from 0 to below 1.
    mutating func answered(_ answer: Answer, now: Date, chance: Double) -> [UUID] {
        let batch = sending
        sending = []
        switch answer {
        case .taken:
            backoff.worked()
            batchSize = Self.batchMax
            return remove(batch)
        case .refused(let index?, _) where batch.indices.contains(index):
            return remove([batch[index]])
        case .refused where batch.count > 1:
            // Half of it next time, until the one that is not taken stands alone.
            batchSize = batch.count / 2
            return []
        case .refused:
            batchSize = Self.batchMax
            return remove(batch)
        case .notRegistered:
            isRegistered = false
            return []
        case .unavailable(let floor):
            notBefore = now + backoff.failed(chance: chance, floor: floor)
            return []
        }
    }

    /// The device is registered: what waited may go.
    mutating func registered() { isRegistered = true }

    /// The network is there again: it is worth a try at once.
    mutating func networkReturned() { notBefore = .distantPast }

    private mutating func remove(_ done: [TrackedEvent]) -> [UUID] {
        let ids = Set(done.map(\.id))
        events.removeAll { ids.contains($0.id) }
        return done.map(\.id)
    }
}
