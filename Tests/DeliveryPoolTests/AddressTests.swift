import Delivery
import Testing

/// The address of each connection: P23 of the list of provider faults, with a manual clock.
@Suite struct AddressTests {
    private static let three = ["192.0.2.1", "192.0.2.2", "192.0.2.3"].map(ConnectionPool.Address.init)

    /// Returns the address of each connection that the pool asks for now.
    private func chosen(
        _ driver: inout PoolDriver,
        among addresses: [ConnectionPool.Address] = AddressTests.three
    ) -> [(id: ConnectionPool.ConnectionID, address: String)] {
        driver.takeConnects().compactMap { id in
            driver.pool.address(for: id, among: addresses, now: driver.now).map { (id, addresses[$0].name) }
        }
    }

    /// Grows the pool until it has so many ready connections, all of whose streams are taken.
    private func grow(_ driver: inout PoolDriver, to count: Int) -> [String] {
        var addresses: [String] = []
        while addresses.count < count {
            driver.demand()
            for (id, address) in self.chosen(&driver) {
                addresses.append(address)
                driver.establish(id)
                driver.pool.streamsOpened(id, count: 1000, now: driver.now)
            }
            driver.advance(.seconds(1))
        }
        return addresses
    }

    @Test func `connections are spread over all addresses`() {
        for seed: UInt64 in 1...20 {
            var driver = PoolDriver(seed: seed)
            let addresses = self.grow(&driver, to: 6)
            for address in Self.three { #expect(addresses.count { $0 == address.name } == 2) }
        }
    }

    @Test func `pools do not all begin with the same address`() {
        let first = (1...50).map { seed in
            var driver = PoolDriver(seed: UInt64(seed))
            return self.grow(&driver, to: 1)[0]
        }
        #expect(Set(first).count == 3)
    }

    @Test func `the order in which a look-up gives them does not matter`() {
        var driver = PoolDriver()
        driver.demand()
        let (id, first) = self.chosen(&driver)[0]
        driver.establish(id)
        driver.pool.streamsOpened(id, count: 1000, now: driver.now)
        driver.demand()
        driver.advance(.seconds(1))
        driver.demand()
        // Rotated so that the taken address is where the choice begins.
        for turned in [Self.three, Self.three.reversed(), [Self.three[1], Self.three[2], Self.three[0]]] {
            var copy = driver
            #expect(self.chosen(&copy, among: turned)[0].address != first)
        }
    }

    @Test func `P23: with one of several addresses dead the next is taken, and the dead one rests`() {
        for seed: UInt64 in 1...20 {
            var driver = PoolDriver(seed: seed)
            var tried: [String] = []
            driver.demand()
            while true {
                let (id, address) = self.chosen(&driver)[0]
                tried.append(address)
                guard address == Self.three[0].name else {
                    driver.establish(id)
                    driver.answer(id)
                    driver.pool.streamsOpened(id, count: 1000, now: driver.now)
                    break
                }
                driver.note(driver.pool.connectFailed(id, now: driver.now))
            }
            #expect(tried.count <= 2, "the dead address was tried twice: \(tried)")
            guard tried.count == 2 else { continue }
            // For a minute all growth goes to the others, then it gets another chance.
            let during = self.grow(&driver, to: 5)
            #expect(!during.contains(Self.three[0].name))
            driver.advance(.seconds(60))
            #expect(self.grow(&driver, to: 1) == [Self.three[0].name])
        }
    }

    @Test func `P23: every address is tried before the back-off`() {
        var driver = PoolDriver()
        driver.demand()
        var tried: Set<String> = []
        for _ in 0..<3 {
            for (id, address) in self.chosen(&driver) {
                tried.insert(address)
                driver.note(driver.pool.connectFailed(id, now: driver.now))
            }
        }
        #expect(tried.count == 3)
        #expect(driver.take().isEmpty)
        guard let next = driver.pool.nextDeadline else {
            Issue.record("nothing wakes the driver")
            return
        }
        let wait = next.since(driver.now)
        #expect(wait >= .milliseconds(125) && wait <= .milliseconds(250))
        driver.now = next
        driver.tick()
        #expect(driver.takeConnects().count == 1)
    }

    @Test func `P23: a name without an address is looked up again after a back-off that doubles`() {
        var driver = PoolDriver()
        driver.demand()
        // The name had three addresses once: without any address no further try makes sense.
        let (id, _) = self.chosen(&driver)[0]
        driver.note(driver.pool.connectFailed(id, now: driver.now))
        guard var attempt = driver.takeConnects().first else {
            Issue.record("the next address was not tried")
            return
        }
        var waits: [Duration] = []
        for _ in 0..<10 {
            driver.note(driver.pool.resolutionFailed(attempt, now: driver.now))
            #expect(driver.take().isEmpty, "no look-up at once")
            guard let next = driver.pool.nextDeadline else { break }
            waits.append(next.since(driver.now))
            driver.now = next
            driver.tick()
            guard let id = driver.takeConnects().first else { break }
            attempt = id
        }
        #expect(waits.count == 10)
        #expect(waits[0] <= .milliseconds(500))
        // Half to all of thirty seconds.
        #expect(waits[9] >= .seconds(15) && waits[9] <= .seconds(30))
    }

    @Test func `an address whose connection stopped answering is the last choice`() {
        var driver = PoolDriver()
        driver.demand()
        let (id, first) = self.chosen(&driver)[0]
        driver.establish(id)
        driver.answer(id)
        driver.pool.streamsOpened(id, count: 5, now: driver.now)
        driver.advance(.seconds(4))
        driver.tick()
        #expect(driver.take() == [.ping(id)])
        driver.advance(.seconds(5))
        driver.tick()
        let actions = driver.take()
        #expect(actions.first == .close(id, .pingUnanswered))
        driver.note(Array(actions.dropFirst()))
        for (_, address) in self.chosen(&driver) { #expect(address != first) }
    }

    @Test func `an attempt whose time is over gets no address`() {
        var driver = PoolDriver()
        driver.demand()
        let id = driver.takeConnects()[0]
        driver.advance(.seconds(5))
        driver.demand(false)
        driver.tick()
        #expect(driver.take() == [.close(id, .handshakeDeadline)])
        #expect(driver.pool.address(for: id, among: Self.three, now: driver.now) == nil)
    }
}
