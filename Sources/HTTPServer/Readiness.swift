import Campaigns
import Fleet
import Store
import Synchronization

/// Whether the server can do its work; asked seldom, however often somebody wants to know.
actor Readiness {
    /// A probe may be asked by many, and each look costs broker and ledger a call.
    private static let ageMax = Duration.seconds(1)

    private enum Phase { case starting, listening, stopping }

    private let ledger: Ledger
    private let broker: BrokerLink
    private let phase = Mutex(Phase.starting)
    private var last: (reasons: [String], at: ContinuousClock.Instant)?

    init(ledger: Ledger, broker: BrokerLink) {
        self.ledger = ledger
        self.broker = broker
    }

    /// From now on it is not ready: what sends requests here is to look for another.
    nonisolated func stop() { phase.withLock { $0 = .stopping } }

    /// Requests can come.
    nonisolated func listens() { phase.withLock { $0 = $0 == .starting ? .listening : $0 } }

    /// Why it is not ready, a line each; empty when it is.
    func reasons() async -> [String] {
        switch phase.withLock({ $0 }) {
        case .starting: return ["the server does not listen yet"]
        case .stopping: return ["the server stops"]
        case .listening: break
        }
        if let last, ContinuousClock.now - last.at < Self.ageMax { return last.reasons }
        var reasons: [String] = []
        if let obstacle = await broker.obstacle() { reasons.append(obstacle) }
        do throws(LedgerError) {
            _ = try await ledger.read { try $0.parkedCount() }
        } catch {
            reasons.append(error.description)
        }
        last = (reasons, .now)
        return reasons
    }
}
