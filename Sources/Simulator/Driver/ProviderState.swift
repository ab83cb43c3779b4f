import Synchronization

/// What all event loops share for one provider: its rules, its faults and what was counted.
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
    /// Raised whenever the faults change, so that loops see it by one load per turn.
    let generation = Atomic<Int>(0)

    init(side: any Peer, faults: Faults, seed: UInt64, requestsKept: Int) {
        self.side = side
        self.seed = seed
        last = LastRequests(most: requestsKept)
        shared = Mutex(Shared(faults: faults))
    }

    var faults: Faults { shared.withLock { $0.faults } }

    /// The faults, ready to be asked.
    func draw() -> FaultDraw { FaultDraw(faults, seed: seed, provider: side.provider) }

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
        side.addTotals(to: &statistics)
        return statistics
    }

    /// What a token has seen; zero for one that never came or is none.
    func counts(ofToken token: String) -> TokenCounts {
        side.key(of: Array(token.utf8)[...]).map { register.counts(of: $0) } ?? TokenCounts()
    }

    /// Forgets all counts, the last requests and what the provider has seen; faults stay.
    func reset() {
        for loop in shared.withLock({ $0.loops }) { loop.value.withLock { $0.forget() } }
        register.reset()
        last.reset()
        side.reset()
    }
}
