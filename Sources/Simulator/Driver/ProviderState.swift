import Synchronization

/// The state that all event loops share for one provider: its rules, faults and counts.
final class ProviderState: Sendable {
    let side: any Peer
    let register = TokenRegister()
    let last: LastRequests

    private struct Shared {
        var faults: Faults
        var loops: [LoopCore.Totals] = []
    }

    private let seed: UInt64
    private let shared: Mutex<Shared>
    /// Incremented whenever the faults change, so that a loop notices with one load per tick.
    let generation = Atomic<Int>(0)

    init(side: any Peer, faults: Faults, seed: UInt64, requestsKept: Int) {
        self.side = side
        self.seed = seed
        last = LastRequests(most: requestsKept)
        shared = Mutex(Shared(faults: faults))
    }

    var faults: Faults { shared.withLock { $0.faults } }

    /// Returns the faults in a form ready for requests.
    func draw() -> FaultDraw { FaultDraw(faults, seed: seed, provider: side.provider) }

    /// Changes the faults under the lock, all or nothing.
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

    /// Creates the totals of one more loop.
    func addLoop() -> LoopCore.Totals {
        let totals = LoopCore.Totals()
        shared.withLock { $0.loops.append(totals) }
        return totals
    }

    var statistics: Statistics {
        var statistics = Statistics()
        for loop in shared.withLock({ $0.loops }) { loop.value.withLock { $0.add(to: &statistics) } }
        (statistics.distinctTokens, statistics.repeatedTokens) = register.totals
        side.addTotals(to: &statistics)
        return statistics
    }

    /// Returns the counts of a token; zero for an unknown or invalid one.
    func counts(ofToken token: String) -> TokenCounts {
        side.key(of: Array(token.utf8)[...]).map { register.counts(of: $0) } ?? TokenCounts()
    }

    /// Resets all counts, the last requests and the provider's memory; faults stay.
    func reset() {
        for loop in shared.withLock({ $0.loops }) { loop.value.withLock { $0.forget() } }
        register.reset()
        last.reset()
        side.reset()
    }
}
