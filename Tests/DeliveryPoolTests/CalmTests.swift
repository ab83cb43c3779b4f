import Delivery
import Testing

/// The pool's reaction when the peer slows it down: P5 (ENHANCE_YOUR_CALM), collapsed stream limits, floods.
@Suite struct CalmTests {
    @Test func `P5: ENHANCE_YOUR_CALM halves the streams of all connections, a thousand of them only once`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.streamsOpened(id, count: 800, now: driver.now)
        for _ in 0..<300 {
            driver.pool.calmAsked(id, now: driver.now)
            driver.note(driver.pool.streamsClosed(id, count: 1))
        }
        #expect(driver.pool.snapshot.calmLimit == 400)
        #expect(driver.pool.streamsAllowed(on: id) == 0, "500 are open, 400 are allowed")
        driver.note(driver.pool.streamsClosed(id, count: 500))
        #expect(driver.pool.streamsAllowed(on: id) == 400)
        // A second later it is a new request to slow down.
        driver.pool.streamsOpened(id, count: 400, now: driver.now)
        driver.advance(.seconds(1))
        driver.pool.calmAsked(id, now: driver.now)
        #expect(driver.pool.snapshot.calmLimit == 200)
        for _ in 0..<20 {
            driver.advance(.seconds(1))
            driver.pool.calmAsked(id, now: driver.now)
        }
        #expect(driver.pool.snapshot.calmLimit == 1, "never nought: that would be for ever")
    }

    @Test func `P5: while the peer wants calm no connection is opened, and speed comes back by and by`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.streamsOpened(id, count: 500, now: driver.now)
        driver.pool.calmAsked(id, now: driver.now)
        var limits: [Int?] = []
        for _ in 0..<30 {
            driver.demand()
            limits.append(driver.pool.snapshot.calmLimit)
            driver.advance(.seconds(1))
            driver.pool.heard(id, now: driver.now)
            driver.tick()
        }
        #expect(driver.take().isEmpty)
        #expect(limits.prefix(10).allSatisfy { $0 == 250 })
        #expect(limits[10..<20].allSatisfy { $0 == 500 })
        #expect(limits[20...].allSatisfy { $0 == nil })
        driver.demand()
        driver.advance(.seconds(1))
        driver.pool.streamsOpened(id, count: 500, now: driver.now)
        driver.demand()
        driver.advance(.seconds(1))
        driver.demand()
        #expect(driver.takeConnects().count == 1)
    }

    @Test func `a collapse of the stream limits is told once, and its end too`() {
        var (driver, id) = PoolDriver.ready()
        #expect(driver.pool.snapshot.streamsAllowed == 1000)
        #expect(driver.pool.settingsReceived(id, maxStreams: 500, now: driver.now) == nil)
        let change = driver.pool.settingsReceived(id, maxStreams: 1, now: driver.now)
        #expect(change == .collapsed(from: 1000, to: 1))
        #expect(driver.pool.snapshot.collapsed == 1)
        #expect(driver.pool.snapshot.streamsAllowed == 1)
        #expect(driver.pool.settingsReceived(id, maxStreams: 2, now: driver.now) == nil)
        #expect(driver.pool.settingsReceived(id, maxStreams: 1000, now: driver.now) == .recovered(to: 1000))
        #expect(driver.pool.snapshot.collapsed == 0)
    }

    @Test func `a peer that begins with one stream has not collapsed`() {
        var driver = PoolDriver()
        driver.demand()
        let id = driver.takeConnects()[0]
        driver.pool.connectionEstablished(id, now: driver.now)
        for limit in [1, 1000, 150, 0] {
            let change = driver.pool.settingsReceived(id, maxStreams: limit, now: driver.now)
            #expect(change == (limit == 0 ? .collapsed(from: 1000, to: 0) : nil))
        }
    }

    @Test func `after a collapse a raised limit holds at once`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.settingsReceived(id, maxStreams: 1, now: driver.now)
        driver.pool.streamsOpened(id, count: 1, now: driver.now)
        // For ten minutes one stream at a time, each with an answer.
        for _ in 0..<600 {
            driver.advance(.seconds(1))
            driver.pool.heard(id, now: driver.now)
            driver.note(driver.pool.streamsClosed(id, count: 1, answered: 1))
            driver.tick()
            #expect(driver.pool.streamsAllowed(on: id) == 1)
            driver.pool.streamsOpened(id, count: 1, now: driver.now)
        }
        driver.pool.settingsReceived(id, maxStreams: 1000, now: driver.now)
        #expect(driver.pool.streamsAllowed(on: id) == 999)
    }

    @Test func `P21: SETTINGS and PING without end cost the peer its connection`() {
        for seconds in [0.0, 0.01] {
            var (driver, id) = PoolDriver.ready()
            var count = 0
            while driver.take().isEmpty && count < 10_000 {
                driver.advance(.seconds(seconds))
                driver.note(driver.pool.controlFramesReceived(id, count: 2, now: driver.now))
                count += 2
            }
            // A thousand at once; at two hundred a second, the tolerated hundred a second are added.
            #expect(count <= (seconds == 0 ? 1002 : 2004), "\(count) frames")
            #expect(!driver.pool.knows(id))
        }
    }

    @Test func `a server that asks for a sign of life every second is kept`() {
        var (driver, id) = PoolDriver.ready()
        for _ in 0..<10_000 {
            driver.advance(.seconds(1))
            driver.note(driver.pool.controlFramesReceived(id, count: 1, now: driver.now))
        }
        #expect(driver.take().isEmpty)
        #expect(driver.pool.knows(id))
    }
}
