/// Which of an endpoint's addresses a connection leads to.
extension ConnectionPool {
    /// Chooses one of the addresses that the name has now for a connection that ``Action/connect(_:)`` asked for, by
    /// its place in `addresses`; nil when the pool has forgotten the connection.
    ///
    /// First come addresses that did not fail of late, then those with the fewest connections.
    /// - Precondition: there is an address.
    public mutating func address(
        for id: ConnectionID,
        among addresses: [Address],
        now: MonotonicInstant
    ) -> Int? {
        precondition(!addresses.isEmpty, "a connection to no address")
        guard let index = self.index(of: id) else { return nil }
        self.addressCount = addresses.count
        self.troubles = self.troubles.filter { $0.value.until > now }
        let order = addresses.indices.map { ($0 + self.addressOffset) % addresses.count }
        let chosen = order.min { self.burden(of: addresses[$0]) < self.burden(of: addresses[$1]) }
        guard let chosen else { return nil }
        self.connections[index].address = addresses[chosen]
        return chosen
    }

    /// What speaks against an address.
    private func burden(of address: Address) -> (failures: Int, connections: Int) {
        let connections = self.connections.count { $0.address == address && $0.phase != .draining }
        return (self.troubles[address]?.failures ?? 0, connections)
    }

    /// Makes an address the last choice for a while.
    mutating func noteTrouble(with address: Address, now: MonotonicInstant) {
        self.troubles[address] = Trouble(
            failures: (self.troubles[address]?.failures ?? 0) + 1,
            until: now.advanced(by: self.configuration.addressCooldown)
        )
    }
}
