import Delivery
import NIOCore
import Synchronization

/// The instants until which the deliveries are surely this worker's; every loop checks them before it opens streams.
///
/// A process that was frozen has lost its messages to other workers before any of its loops hears of it. Its own clock
/// shows that at once. May be used from any thread.
final class BrokerLease: Sendable {
    private let until = Atomic<UInt64>(0)
    private let known = Atomic<UInt64>(0)

    /// Extends the lease while the connection lives; nil ends it.
    ///
    /// Returns true if the lease holds again.
    @discardableResult
    func renew(until end: NIODeadline?) -> Bool {
        let before = until.exchange(end?.uptimeNanoseconds ?? 0, ordering: .relaxed)
        let now = NIODeadline.now()
        return before <= now.uptimeNanoseconds && holds(now: now)
    }

    /// Sets the instant until which the worker's knowledge of its campaigns is fresh enough: a worker that cannot read
    /// the ledger does not learn that a campaign was superseded (`Supersession`).
    ///
    /// Returns true if the lease holds again.
    @discardableResult
    func know(until end: NIODeadline) -> Bool {
        let before = known.exchange(end.uptimeNanoseconds, ordering: .relaxed)
        let now = NIODeadline.now()
        return before <= now.uptimeNanoseconds && holds(now: now)
    }

    /// The instant until which the lease holds.
    var heldUntil: MonotonicInstant { MonotonicInstant(nanoseconds: Int64(clamping: until.load(ordering: .relaxed))) }

    /// The instant until which the knowledge of the campaigns is fresh enough.
    var knownUntil: MonotonicInstant { MonotonicInstant(nanoseconds: Int64(clamping: known.load(ordering: .relaxed))) }

    /// Returns true if streams may be opened.
    func holds(now: NIODeadline) -> Bool {
        now.uptimeNanoseconds < until.load(ordering: .relaxed) && now.uptimeNanoseconds < known.load(ordering: .relaxed)
    }
}
