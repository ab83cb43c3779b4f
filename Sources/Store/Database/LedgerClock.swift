import Campaigns
import Delivery
import Synchronization

/// The shared time as this process knows it: the monotonic clock and a lead, which the drivers keep right.
///
/// May be used from any thread; asking it costs no I/O and no lock.
final class LedgerClock: Sendable {
    /// Who says what time it is.
    let source: ClockStanding.Source
    /// How old the lead may be before a read asks for it again.
    private static let ageMax = Duration.seconds(1)

    /// How far the shared time is ahead of the monotonic clock, in microseconds.
    private let lead: Atomic<Int64>
    private let heardAt: Atomic<Int64>
    private let server: Mutex<ServerClock?> = Mutex(nil)

    /// A clock that nobody has set: this host's wall clock.
    init(_ source: ClockStanding.Source) {
        self.source = source
        let now = MonotonicClock.now()
        lead = Atomic(WallClock.now().milliseconds * 1000 - now.microseconds)
        heardAt = Atomic(now.advanced(by: .zero - Self.ageMax).nanoseconds)
    }

    /// The instant.
    func now() -> Timestamp { MonotonicClock.now().shared(lead: lead.load(ordering: .relaxed)) }

    /// Whether what it knows is older than it should be.
    var isDue: Bool {
        let heard = MonotonicInstant(nanoseconds: heardAt.load(ordering: .relaxed))
        return MonotonicClock.now().since(heard) >= Self.ageMax
    }

    /// The lead is this, as of now.
    func set(lead microseconds: Int64) {
        lead.store(microseconds, ordering: .relaxed)
        heardAt.store(MonotonicClock.now().nanoseconds, ordering: .relaxed)
    }

    /// The server has said what time it is.
    func heard(_ sample: ServerClock.Sample) {
        let known = server.withLock { server -> Int64 in
            var next = server
            if next == nil { next = ServerClock(sample) } else { next?.heard(sample) }
            server = next
            return next?.lead ?? 0
        }
        set(lead: known)
    }
}
