import Foundation

/// Decides when events go to the server, and in which batches; no clock, no I/O.
///
/// Events go in order, in batches, one batch at a time. An event is removed when the server has taken it or will never
/// take it.
struct EventOutbox {
    /// The largest batch that the server takes.
    static let batchMax = 500
    /// The number of events kept; older ones are dropped first, so a phone that is offline for weeks keeps the newest.
    static let keptMax = 10_000

    /// The server's answer to a batch.
    enum Answer: Equatable {
        case taken
        /// Nothing was stored because of one event, at this index; nil when the server does not say which.
        case refused(index: Int?, reason: String)
        /// The device is not registered, or no longer registered: the batch waits for the registration.
        case notRegistered
        /// The server or the network is unavailable; the server may ask for a wait in seconds.
        case unavailable(retryAfter: TimeInterval?)
    }

    private(set) var events: [TrackedEvent] = []
    private var sending: [TrackedEvent] = []
    private var notBefore = Date.distantPast
    private var backoff = Backoff()
    private var batchSize = Self.batchMax
    /// False until the device is registered; nothing is sent before.
    private(set) var isRegistered: Bool

    init(_ events: [TrackedEvent] = [], isRegistered: Bool) {
        self.events = Array(events.suffix(Self.keptMax))
        self.isRegistered = isRegistered
    }

    /// The time at which the next batch may go; nil while there is nothing to send.
    var wakeAt: Date? { isRegistered && sending.isEmpty && !events.isEmpty ? notBefore : nil }

    /// Adds an event; returns the ids of events dropped for lack of room.
    mutating func add(_ event: TrackedEvent) -> [UUID] {
        guard !events.contains(where: { $0.id == event.id }) else { return [] }
        events.append(event)
        guard events.count > Self.keptMax, sending.isEmpty else { return [] }
        let gone = events.prefix(events.count - Self.keptMax).map(\.id)
        events.removeFirst(gone.count)
        return gone
    }

    /// Returns the batch to send now; nil for none.
    mutating func next(now: Date) -> [TrackedEvent]? {
        guard let wakeAt, wakeAt <= now else { return nil }
        sending = Array(events.prefix(batchSize))
        return sending
    }

    /// Handles the server's answer or its absence; returns the ids of the events that are done.
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
            // Halves the batch each time, until the refused event is alone.
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

    /// Lets waiting events go, because the device is registered.
    mutating func registered() { isRegistered = true }

    /// Allows a try at once, because the network is back.
    mutating func networkReturned() { notBefore = .distantPast }

    private mutating func remove(_ done: [TrackedEvent]) -> [UUID] {
        let ids = Set(done.map(\.id))
        events.removeAll { ids.contains($0.id) }
        return done.map(\.id)
    }
}
