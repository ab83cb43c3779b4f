/// The simulated providers, in the order of `SimulatedProvider`.
struct ProviderListeners: Sendable {
    let all: [ProviderListener]

    subscript(provider: SimulatedProvider) -> ProviderListener? { all.first { $0.provider == provider } }

    /// The totals; with several providers, also the statistics of each.
    var statistics: Statistics {
        let parts = all.map { ($0.provider, $0.state.statistics) }
        var total = parts.first?.1 ?? Statistics()
        for (_, part) in parts.dropFirst() { total += part }
        if parts.count > 1 {
            total.providers = Dictionary(uniqueKeysWithValues: parts.map { ($0.0.rawValue, $0.1) })
        }
        return total
    }

    /// Changes the faults of one provider or (nil) of all, all or nothing.
    func changeFaults(
        of provider: SimulatedProvider?,
        _ change: (inout Faults) throws(FaultsError) -> Void
    ) async throws -> Faults {
        let meant = all.filter { provider == nil || $0.provider == provider }
        // A change that one provider's faults do not allow is applied to none.
        for listener in meant {
            var tried = listener.state.faults
            try change(&tried)
        }
        var changed: Faults?
        for listener in meant {
            let faults = try await listener.changeFaults(change)
            changed = changed ?? faults
        }
        return changed ?? Faults()
    }

    /// Revokes all issued access tokens.
    func revokeAccessTokens() {
        for listener in all { listener.state.side.revokeCredentials() }
    }

    func reset() { for listener in all { listener.state.reset() } }
}
