import Delivery
import Operations
import Store
import Synchronization

/// The server's readiness; however often it is asked for, broker and ledger are asked at most once a second, and the
/// ledger for a test write at most once in ten.
package final class Readiness: Sendable {
    /// A check, which returns the reason why something cannot be used.
    package typealias Check = @Sendable () async -> String?

    /// The age at which a result is renewed: probes may be frequent, and each check costs broker and ledger a call.
    private static let ageMax = Duration.seconds(1)
    /// The age at which the test write is renewed, as often as by a worker: in a file it writes 64 KB to the disk.
    private static let writeAgeMax = Duration.seconds(10)

    private enum Phase { case starting, listening, stopping }

    private let phase = Mutex(Phase.starting)
    private let broker: Mutex<SharedCheck<String?>?> = Mutex(nil)
    private let reads: SharedCheck<String?>
    private let writes: SharedCheck<String?>
    private let now: @Sendable () -> ContinuousClock.Instant

    /// Makes the readiness of a server whose ledger is asked by these two checks; `writes` only when `reads` is fine.
    init(
        reads: @escaping Check,
        writes: @escaping Check,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.now = now
        self.reads = SharedCheck(ageMax: Self.ageMax, now: now, check: reads)
        self.writes = SharedCheck(ageMax: Self.writeAgeMax, now: now, check: writes)
    }

    convenience init(ledger: Ledger) {
        self.init {
            do throws(LedgerError) {
                _ = try await ledger.read { try $0.parkedCount() }
                return nil
            } catch {
                return error.description
            }
        } writes: {
            do throws(LedgerError) {
                try await ledger.testWrite()
                return nil
            } catch {
                return error.writeProblem.needsPerson ? error.writeProblem.text : nil
            }
        }
    }

    /// Adds the check of the broker.
    package func check(_ obstacle: @escaping Check) {
        let shared = SharedCheck(ageMax: Self.ageMax, now: now, check: obstacle)
        broker.withLock { $0 = shared }
    }

    /// Makes the server unready for good, so that load balancers choose another.
    func stop() { phase.withLock { $0 = .stopping } }

    /// Records that the server accepts requests.
    func listens() { phase.withLock { $0 = $0 == .starting ? .listening : $0 } }

    /// Returns the reasons for unreadiness, a line each; empty when the server is ready.
    package func reasons() async -> [String] {
        switch phase.withLock({ $0 }) {
        case .starting: return ["the server does not listen yet"]
        case .stopping: return ["the server stops"]
        case .listening: break
        }
        let obstacle = await broker.withLock { $0 }?.result()
        var ledger = await reads.result()
        if ledger == nil { ledger = await writes.result() }
        return [obstacle ?? nil, ledger].compactMap(\.self)
    }
}
