/// The choice of an endpoint's address for a connection.
extension ConnectionPool {
    /// Chooses an address for a connection that ``Action/connect(_:)`` asked for, by its index in `addresses`.
    ///
    /// The addresses are those that the name has now. The result is nil if the pool has forgotten the connection.
    /// Addresses that did not fail recently come first, then those with the fewest connections.
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

    /// The reasons against an address.
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
