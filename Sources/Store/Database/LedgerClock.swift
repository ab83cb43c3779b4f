import Campaigns
import Delivery
import Synchronization

/// The shared time as this process knows it: the monotonic clock plus a lead, which the drivers keep right.
///
/// May be used from any thread; reading it costs no I/O and no lock.
final class LedgerClock: Sendable {
    /// The origin of the time.
    let source: ClockStanding.Source
    /// The age of the lead from which a read asks for it again.
    private static let ageMax = Duration.seconds(1)

    /// The lead of the shared time over the monotonic clock, in microseconds.
    private let lead: Atomic<Int64>
    private let heardAt: Atomic<Int64>
    /// The number of times that the shared time was set forward or back at once.
    var steps: Int { stepCount.load(ordering: .relaxed) }
    private let stepCount = Atomic(0)
    private let server: Mutex<ServerClock?> = Mutex(nil)

    /// A clock that starts as this host's wall clock, until it is set.
    init(_ source: ClockStanding.Source) {
        self.source = source
        let now = MonotonicClock.now()
        lead = Atomic(WallClock.now().milliseconds * 1000 - now.microseconds)
        heardAt = Atomic(now.advanced(by: .zero - Self.ageMax).nanoseconds)
    }

    /// The current instant of the shared time.
    func now() -> Timestamp { MonotonicClock.now().shared(lead: lead.load(ordering: .relaxed)) }

    /// True if the lead is older than it should be.
    var isDue: Bool {
        let heard = MonotonicInstant(nanoseconds: heardAt.load(ordering: .relaxed))
        return MonotonicClock.now().since(heard) >= Self.ageMax
    }

    /// Sets the lead, as of now.
    func set(lead microseconds: Int64) {
        let before = lead.exchange(microseconds, ordering: .relaxed)
        if HostAnchor.isStep(microseconds - before) { stepCount.add(1, ordering: .relaxed) }
        heardAt.store(MonotonicClock.now().nanoseconds, ordering: .relaxed)
    }

    /// Takes a reading of the server's clock.
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
