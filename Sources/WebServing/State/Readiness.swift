import Campaigns
import Delivery
import Operations
import Store
import Synchronization

/// The server's readiness, checked at most once a second however often it is asked for.
package actor Readiness {
    /// The age at which a result is renewed: probes may be frequent, and each check costs broker and ledger a call.
    private static let ageMax = Duration.seconds(1)

    private enum Phase { case starting, listening, stopping }

    private let ledger: Ledger
    private let phase = Mutex(Phase.starting)
    private let obstacle = Mutex<(@Sendable () async -> String?)?>(nil)
    private var last: (reasons: [String], at: ContinuousClock.Instant)?

    init(ledger: Ledger) { self.ledger = ledger }

    /// Adds the check of the broker, which returns the reason why it cannot be used.
    package nonisolated func check(_ obstacle: @escaping @Sendable () async -> String?) {
        self.obstacle.withLock { $0 = obstacle }
    }

    /// Makes the server unready for good, so that load balancers choose another.
    nonisolated func stop() { phase.withLock { $0 = .stopping } }

    /// Records that the server accepts requests.
    nonisolated func listens() { phase.withLock { $0 = $0 == .starting ? .listening : $0 } }

    /// Returns the reasons for unreadiness, a line each; empty when the server is ready.
    package func reasons() async -> [String] {
        switch phase.withLock({ $0 }) {
        case .starting: return ["the server does not listen yet"]
        case .stopping: return ["the server stops"]
        case .listening: break
        }
        if let last, ContinuousClock.now - last.at < Self.ageMax { return last.reasons }
        var reasons: [String] = []
        if let obstacle = await obstacle.withLock({ $0 })?() { reasons.append(obstacle) }
        do throws(LedgerError) {
            _ = try await ledger.read { try $0.parkedCount() }
            do throws(LedgerError) {
                try await ledger.testWrite()
            } catch  where error.writeProblem.needsPerson {
                reasons.append(error.writeProblem.text)
            }
        } catch {
            reasons.append(error.description)
        }
        last = (reasons, .now)
        return reasons
    }
}
