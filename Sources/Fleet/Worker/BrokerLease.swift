import NIOCore
import Synchronization

/// Until when the worker's deliveries are surely its own: every loop asks before it opens streams in a turn.
///
/// A process that was frozen has lost its messages to others before any of its loops hears of that. Its own clock tells
/// it at once. May be used from any thread.
final class BrokerLease: Sendable {
    private let until = Atomic<UInt64>(0)

    /// The connection lives: the lease holds until this instant, nil without a connection.
    ///
    /// Returns whether it had not held until now.
    @discardableResult
    func renew(until end: NIODeadline?) -> Bool {
        let before = until.exchange(end?.uptimeNanoseconds ?? 0, ordering: .relaxed)
        let now = NIODeadline.now()
        return before <= now.uptimeNanoseconds && holds(now: now)
    }

    /// Whether streams may be opened.
    func holds(now: NIODeadline) -> Bool { now.uptimeNanoseconds < until.load(ordering: .relaxed) }
}
