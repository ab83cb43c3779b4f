import Synchronization
import TLS

/// What all event loops of a simulator share.
final class SimulatorState: Sendable {
    let configuration: APNsSimulator.Configuration
    let rules: APNsRules
    let register = TokenRegister()
    let last: LastRequests

    private struct Shared {
        var faults: Faults
        var loops: [LoopCore.Totals] = []
    }

    private let shared: Mutex<Shared>
    /// Raised whenever the faults change, so that loops see it by one load per turn.
    let generation = Atomic<Int>(0)

    init(configuration: APNsSimulator.Configuration) throws(TLSError) {
        self.configuration = configuration
        last = LastRequests(most: configuration.requestsKept)
        rules = APNsRules(tokens: try ProviderTokens(access: configuration.access))
        shared = Mutex(Shared(faults: configuration.faults))
    }

    var faults: Faults { shared.withLock { $0.faults } }

    /// Changes the faults under the lock; all or nothing.
    func changeFaults(_ change: (inout Faults) throws(FaultsError) -> Void) throws(FaultsError) -> Faults {
        let result = shared.withLock { shared -> Result<Faults, FaultsError> in
            var changed = shared.faults
            do throws(FaultsError) { try change(&changed) } catch { return .failure(error) }
            shared.faults = changed
            return .success(changed)
        }
        generation.wrappingAdd(1, ordering: .releasing)
        return try result.get()
    }

    /// Makes the totals of one more loop.
    func addLoop() -> LoopCore.Totals {
        let totals = LoopCore.Totals()
        shared.withLock { $0.loops.append(totals) }
        return totals
    }

    var statistics: Statistics {
        var statistics = Statistics()
        for loop in shared.withLock({ $0.loops }) { loop.value.withLock { $0.add(to: &statistics) } }
        (statistics.distinctTokens, statistics.repeatedTokens) = register.totals
        (statistics.providerTokens, statistics.keysMost) = rules.tokens.totals
        return statistics
    }

    /// Forgets all counts, the last requests and which provider tokens were seen; faults stay.
    func reset() {
        for loop in shared.withLock({ $0.loops }) { loop.value.withLock { $0.forget() } }
        register.reset()
        last.reset()
        rules.tokens.reset()
    }
}
