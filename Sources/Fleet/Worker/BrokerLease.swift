import Delivery
import NIOCore
import Synchronization

/// Until when the worker's deliveries are surely its own: every loop asks before it opens streams in a turn.
///
/// A process that was frozen has lost its messages to others before any of its loops hears of that. Its own clock tells
/// it at once. May be used from any thread.
final class BrokerLease: Sendable {
    private let until = Atomic<UInt64>(0)
    private let known = Atomic<UInt64>(0)

    /// The connection lives: the lease holds until this instant, nil without a connection.
    ///
    /// Returns whether it had not held until now.
    @discardableResult
    func renew(until end: NIODeadline?) -> Bool {
        let before = until.exchange(end?.uptimeNanoseconds ?? 0, ordering: .relaxed)
        let now = NIODeadline.now()
        return before <= now.uptimeNanoseconds && holds(now: now)
    }

    /// What is known of the campaigns that run here is fresh enough until this instant: a worker that cannot read the
    /// ledger does not learn that a campaign was superseded, whose place another one takes (`Supersession`).
    ///
    /// Returns whether the lease had not held for that until now.
    @discardableResult
    func know(until end: NIODeadline) -> Bool {
        let before = known.exchange(end.uptimeNanoseconds, ordering: .relaxed)
        let now = NIODeadline.now()
        return before <= now.uptimeNanoseconds && holds(now: now)
    }

    /// The instant until which the lease holds.
    var heldUntil: MonotonicInstant { MonotonicInstant(nanoseconds: Int64(clamping: until.load(ordering: .relaxed))) }

    /// The instant until which what is known of the campaigns is fresh enough.
    var knownUntil: MonotonicInstant { MonotonicInstant(nanoseconds: Int64(clamping: known.load(ordering: .relaxed))) }

    /// Whether streams may be opened.
    func holds(now: NIODeadline) -> Bool {
        now.uptimeNanoseconds < until.load(ordering: .relaxed) && now.uptimeNanoseconds < known.load(ordering: .relaxed)
    }
}
