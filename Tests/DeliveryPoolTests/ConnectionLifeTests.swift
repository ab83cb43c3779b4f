import Delivery
import Testing

@Suite struct ConnectionLifeTests {
    @Test func `GOAWAY drains, and demand opens another connection at once`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.streamsOpened(id, count: 3)
        driver.note(driver.pool.goAwayReceived(id, now: driver.now))
        #expect(driver.pool.streamsAllowed(on: id) == 0)
        #expect(driver.takeConnects().count == 1)
        driver.note(driver.pool.streamsClosed(id, count: 2))
        #expect(driver.take().isEmpty)
        driver.note(driver.pool.streamsClosed(id, count: 1))
        #expect(driver.take() == [.close(id, .drained)])
        #expect(!driver.pool.knows(id))
    }

    @Test func `a peer that says GOAWAY to everything is not hammered`() {
        var driver = PoolDriver()
        driver.demand()
        var attempts = 0
        // Ten seconds in steps of ten milliseconds.
        for _ in 0..<1000 {
            for id in driver.takeConnects() {
                attempts += 1
                driver.establish(id)
                driver.note(driver.pool.goAwayReceived(id, now: driver.now))
            }
            driver.advance(.milliseconds(10))
            driver.tick()
            driver.demand()
        }
        // Back-off from a quarter of a second doubles: six or seven in ten seconds with jitter.
        #expect((4...9).contains(attempts), "\(attempts) attempts")
    }

    @Test func `attempts are rationed even when every connection answered once`() {
        var driver = PoolDriver()
        driver.demand()
        var attempts = 0
        for _ in 0..<1000 {
            for id in driver.takeConnects() {
                attempts += 1
                driver.establish(id)
                driver.pool.answered(id)
                driver.note(driver.pool.connectionLost(id, now: driver.now))
            }
            driver.advance(.milliseconds(10))
            driver.tick()
            driver.demand()
        }
        // Eight at once, then one a second.
        #expect((17...18).contains(attempts), "\(attempts) attempts")
    }

    @Test func `every address is tried before the back-off, and in turn`() {
        var driver = PoolDriver()
        driver.pool.addressesResolved(3)
        driver.demand()
        var tried: [Int] = []
        for _ in 0..<3 {
            for case .connect(let id, let address) in driver.take() {
                tried.append(address)
                driver.note(driver.pool.connectFailed(id, now: driver.now))
            }
        }
        #expect(tried == [0, 1, 2])
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

    @Test func `a handshake or SETTINGS that take too long end the attempt`() {
        for established in [false, true] {
            var driver = PoolDriver()
            driver.demand()
            let id = driver.takeConnects()[0]
            if established { driver.pool.connectionEstablished(id, now: driver.now) }
            driver.advance(.milliseconds(4999))
            driver.tick()
            #expect(driver.take().isEmpty)
            driver.advance(.milliseconds(1))
            driver.tick()
            #expect(driver.take() == [.close(id, .handshakeDeadline)])
        }
    }

    @Test func `silence is answered with a PING, and more silence ends the connection`() {
        var (driver, id) = PoolDriver.ready()
        driver.demand(false)
        driver.advance(.seconds(60))
        driver.tick()
        #expect(driver.take() == [.ping(id)])
        driver.pool.heard(id, now: driver.now)
        driver.advance(.seconds(60))
        driver.tick()
        #expect(driver.take() == [.ping(id)])
        driver.advance(.seconds(10))
        driver.tick()
        #expect(driver.take() == [.close(id, .pingUnanswered)])
    }

    @Test func `a connection is kept for hours and then replaced`() {
        var (driver, id) = PoolDriver.ready()
        driver.demand(false)
        var ended: Duration?
        for minute in 1...500 {
            driver.advance(.seconds(60))
            driver.pool.heard(id, now: driver.now)
            driver.tick()
            if driver.take() == [.close(id, .drained)] {
                ended = .seconds(60 * minute)
                break
            }
        }
        guard let ended else {
            Issue.record("never replaced")
            return
        }
        #expect(ended >= .seconds(5.4 * 3600) && ended <= .seconds(6.7 * 3600))
    }

    @Test func `three deadlines of streams within a minute end a connection, spread ones do not`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.streamsOpened(id, count: 10)
        for _ in 0..<5 {
            driver.note(driver.pool.streamsClosed(id, count: 1))
            driver.note(driver.pool.streamDeadlinesPassed(id, count: 1, now: driver.now))
            driver.advance(.seconds(61))
        }
        #expect(driver.take().isEmpty)
        driver.note(driver.pool.streamsClosed(id, count: 3))
        driver.note(driver.pool.streamDeadlinesPassed(id, count: 2, now: driver.now))
        #expect(driver.take().isEmpty)
        driver.note(driver.pool.streamDeadlinesPassed(id, count: 1, now: driver.now))
        #expect(driver.take().first == .close(id, .streamDeadlines))
    }

    @Test func `a connection that never answered is left at its first deadline`() {
        var driver = PoolDriver()
        driver.demand()
        let id = driver.takeConnects()[0]
        driver.establish(id)
        driver.pool.streamsOpened(id, count: 1)
        driver.note(driver.pool.streamsClosed(id, count: 1))
        driver.note(driver.pool.streamDeadlinesPassed(id, count: 1, now: driver.now))
        #expect(driver.take() == [.close(id, .streamDeadlines)])
    }

    @Test func `shutting down lets streams end and opens nothing`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.streamsOpened(id, count: 1)
        driver.note(driver.pool.shutDown())
        driver.demand()
        driver.advance(.seconds(1))
        driver.tick()
        #expect(driver.take().isEmpty)
        driver.note(driver.pool.streamsClosed(id, count: 1))
        #expect(driver.take() == [.close(id, .drained)])
        #expect(!driver.pool.knows(id))
    }
}
