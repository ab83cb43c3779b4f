import Delivery
import Testing

@Suite struct StreamLimitTests {
    @Test func `P7: no stream is opened before SETTINGS`() {
        var driver = PoolDriver()
        driver.demand()
        let ids = driver.takeConnects()
        #expect(ids.count == 1)
        #expect(driver.pool.streamsAllowed(on: ids[0]) == 0)
        driver.pool.connectionEstablished(ids[0], now: driver.now)
        #expect(driver.pool.streamsAllowed(on: ids[0]) == 0)
        driver.pool.settingsReceived(ids[0], maxStreams: 5, now: driver.now)
        #expect(driver.pool.streamsAllowed(on: ids[0]) == 5)
    }

    @Test func `P6: every change of the limit is followed, and nought means wait`() {
        var (driver, id) = PoolDriver.ready { $0.streamsMax = 500 }
        #expect(driver.pool.streamsAllowed(on: id) == 500)
        driver.pool.streamsOpened(id, count: 200, now: driver.now)
        #expect(driver.pool.streamsAllowed(on: id) == 300)
        for (limit, allowed) in [(1, 0), (0, 0), (201, 1), (Int(UInt32.max), 300)] {
            driver.pool.settingsReceived(id, maxStreams: limit, now: driver.now)
            #expect(driver.pool.streamsAllowed(on: id) == allowed)
        }
        driver.pool.settingsReceived(id, maxStreams: 0, now: driver.now)
        driver.note(driver.pool.streamsClosed(id, count: 200))
        // Waiting is not a reason to open more connections.
        for _ in 0..<20 {
            driver.advance(.milliseconds(200))
            driver.demand()
        }
        #expect(driver.take().isEmpty)
    }

    @Test func `one stream until an answer shows that the credential was accepted`() {
        var driver = PoolDriver { $0.oneStreamUntilAuthenticated = true }
        driver.demand()
        let id = driver.takeConnects()[0]
        driver.establish(id)
        #expect(driver.pool.streamsAllowed(on: id) == 1)
        driver.pool.streamsOpened(id, count: 1, now: driver.now)
        #expect(driver.pool.streamsAllowed(on: id) == 0)
        driver.note(driver.pool.streamsClosed(id, count: 1))
        driver.answer(id)
        #expect(driver.pool.streamsAllowed(on: id) == 1)
        driver.pool.authenticated(id)
        #expect(driver.pool.streamsAllowed(on: id) == 1000)
    }

    @Test func `another connection is opened when all streams were taken for a while, and no sooner`() {
        var (driver, id) = PoolDriver.ready { $0.connectionsMax = 2 }
        driver.pool.streamsOpened(id, count: 1000, now: driver.now)
        driver.demand()
        driver.advance(.milliseconds(99))
        driver.demand()
        #expect(driver.take().isEmpty)
        driver.advance(.milliseconds(1))
        driver.demand()
        let second = driver.takeConnects()
        #expect(second.count == 1)
        driver.establish(second[0])
        driver.pool.streamsOpened(second[0], count: 1000, now: driver.now)
        for _ in 0..<10 {
            driver.advance(.milliseconds(200))
            driver.demand()
        }
        #expect(driver.take().isEmpty, "more than connectionsMax")
    }

    @Test
    func
        `a busy connection opens streams when an eighth of them is free or after four milliseconds, an idle one at once`()
    {
        var (driver, id) = PoolDriver.ready()
        driver.advance(.seconds(1))
        #expect(driver.pool.streamsDue(on: id, now: driver.now) == 1000)
        driver.pool.streamsOpened(id, count: 1000, now: driver.now)
        driver.note(driver.pool.streamsClosed(id, count: 124, answered: 124))
        #expect(driver.pool.streamsDue(on: id, now: driver.now) == 0)
        #expect(driver.pool.streamsAllowed(on: id) == 124)
        driver.note(driver.pool.streamsClosed(id, count: 1, answered: 1))
        #expect(driver.pool.streamsDue(on: id, now: driver.now) == 125)
        driver.pool.streamsOpened(id, count: 125, now: driver.now)
        driver.note(driver.pool.streamsClosed(id, count: 1, answered: 1))
        driver.advance(.microseconds(3999))
        #expect(driver.pool.streamsDue(on: id, now: driver.now) == 0)
        driver.advance(.microseconds(1))
        #expect(driver.pool.streamsDue(on: id, now: driver.now) == 1)
    }

    @Test func `with one stream at a time nobody waits`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.settingsReceived(id, maxStreams: 1, now: driver.now)
        for _ in 0..<10 {
            #expect(driver.pool.streamsDue(on: id, now: driver.now) == 1)
            driver.answer(id)
        }
    }

    @Test func `a connection of which few streams are free counts as taken`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.streamsOpened(id, count: 1000, now: driver.now)
        driver.note(driver.pool.streamsClosed(id, count: 100, answered: 100))
        driver.demand()
        driver.advance(.milliseconds(100))
        driver.demand()
        #expect(driver.takeConnects().count == 1)
    }

    @Test func `a busy loop does not open more connections`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.streamsOpened(id, count: 1000, now: driver.now)
        for _ in 0..<20 {
            driver.advance(.milliseconds(100))
            driver.demand(busy: true)
        }
        #expect(driver.take().isEmpty)
        driver.advance(.milliseconds(100))
        driver.demand()
        #expect(driver.takeConnects().count == 1)
    }
}
