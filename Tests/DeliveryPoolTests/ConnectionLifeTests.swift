import Delivery
import Testing

@Suite struct ConnectionLifeTests {
    @Test func `GOAWAY drains, and demand opens another connection at once`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.streamsOpened(id, count: 3, now: driver.now)
        driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
        #expect(driver.pool.streamsAllowed(on: id) == 0)
        #expect(driver.takeConnects().count == 1)
        driver.note(driver.pool.streamsClosed(id, count: 2))
        #expect(driver.take().isEmpty)
        driver.note(driver.pool.streamsClosed(id, count: 1))
        #expect(driver.take() == [.close(id, .drained)])
        #expect(!driver.pool.knows(id))
    }

    @Test func `P3: a peer that says GOAWAY to everything is not hammered`() {
        var driver = PoolDriver()
        driver.demand()
        var attempts = 0
        // Ten seconds in steps of ten milliseconds.
        for _ in 0..<1000 {
            for id in driver.takeConnects() {
                attempts += 1
                driver.establish(id)
                driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
            }
            driver.advance(.milliseconds(10))
            driver.tick()
            driver.demand()
        }
        // Backoff from a quarter of a second doubles: six or seven in ten seconds with jitter.
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
                driver.answer(id)
                driver.note(driver.pool.connectionLost(id, now: driver.now))
            }
            driver.advance(.milliseconds(10))
            driver.tick()
            driver.demand()
        }
        // Eight at once, then one a second.
        #expect((17...18).contains(attempts), "\(attempts) attempts")
    }

    @Test func `P7 and P9: a handshake or SETTINGS that take longer than five seconds end the attempt`() {
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

    @Test func `P2: a GOAWAY in two steps drains once, and one replacement is asked for`() {
        var (driver, id) = PoolDriver.ready()
        driver.demand()
        driver.pool.streamsOpened(id, count: 10, now: driver.now)
        driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
        #expect(driver.takeConnects().count == 1)
        // Until the second GOAWAY streams end as usual; then those above its last stream end together.
        driver.note(driver.pool.streamsClosed(id, count: 4, answered: 4))
        driver.note(driver.pool.streamsClosed(id, count: 3))
        driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
        #expect(driver.take().isEmpty)
        #expect(driver.pool.streamsAllowed(on: id) == 0)
        driver.note(driver.pool.streamsClosed(id, count: 3, answered: 3))
        #expect(driver.take() == [.close(id, .drained)])
    }

    @Test func `a peer that says GOAWAY after every thousand answers gets its next connection at once`() {
        var (driver, id) = PoolDriver.ready()
        for _ in 0..<100 {
            driver.demand()
            driver.answer(id, count: 1000)
            driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
            #expect(driver.actions.first == .close(id, .drained))
            guard let next = driver.takeConnects().first else {
                Issue.record("no connection")
                return
            }
            driver.establish(next)
            id = next
            driver.advance(.milliseconds(5))
        }
        // With an error code the end is not orderly, and few answers do not pay for a new attempt.
        for (answers, isOrderly) in [(1000, false), (10, true)] {
            var (driver, attempts) = (driver, 0)
            driver.answer(id, count: 1000)
            driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
            for _ in 0..<1000 {
                for next in driver.takeConnects() {
                    attempts += 1
                    driver.establish(next)
                    driver.answer(next, count: answers)
                    driver.note(driver.pool.goAwayReceived(next, isOrderly: isOrderly, now: driver.now))
                }
                driver.advance(.milliseconds(10))
                driver.tick()
                driver.demand()
            }
            #expect(attempts <= 18, "\(attempts) attempts in ten seconds")
        }
    }

    @Test func `connections that GOAWAY ends all the time are replaced at once, and the pool still grows`() {
        var driver = PoolDriver()
        var (live, most) = ([ConnectionPool.ConnectionID](), 0)
        driver.demand()
        // A hundred seconds in steps of ten milliseconds: a connection lives for two steps and takes another to
        // establish.
        for step in 0..<10_000 {
            let connecting = driver.takeConnects()
            for id in connecting {
                driver.establish(id)
                driver.pool.streamsOpened(id, count: 1000, now: driver.now)
            }
            let leaving = step.isMultiple(of: 2) ? live : []
            live = (step.isMultiple(of: 2) ? [] : live) + connecting
            for id in leaving {
                driver.note(driver.pool.streamsClosed(id, count: 1000, answered: 1000))
                driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
            }
            most = max(most, live.count)
            driver.advance(.milliseconds(10))
            driver.demand()
        }
        #expect(most > 8)
        #expect(driver.pool.snapshot.connecting + live.count > 8, "a leaving connection was not replaced")
    }

    @Test func `a peer that ends each connection after the same number of streams is sent no more than those`() {
        var (driver, id) = PoolDriver.ready()
        /// Opens all allowed streams; the peer processes the first `taken` streams of the connection and leaves.
        func use(_ id: ConnectionPool.ConnectionID, taken: Int?) -> (opened: Int, next: ConnectionPool.ConnectionID?) {
            let opened = driver.pool.streamsAllowed(on: id)
            driver.pool.streamsOpened(id, count: opened, now: driver.now)
            driver.demand()
            if let taken { driver.pool.lastStreamTold(id, streams: taken) }
            driver.note(driver.pool.streamsClosed(id, count: opened, answered: min(opened, taken ?? opened)))
            if taken != nil { driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now)) }
            driver.demand()
            let next = driver.takeConnects().first
            if let next { driver.establish(next) }
            return (opened, next)
        }
        // One of the first connection's streams was used before.
        for (taken, expected) in [(701, 1000), (700, 1000), (700, 1000), (700, 700), (700, 700), (700, 700)] {
            let (opened, next) = use(id, taken: taken)
            #expect(opened == expected)
            guard let next else {
                Issue.record("no replacement")
                return
            }
            id = next
        }
        // The peer accepts more now: the next connection may have as many as it allows.
        guard let next = use(id, taken: nil).next else {
            Issue.record("no replacement")
            return
        }
        #expect(driver.pool.streamsAllowed(on: next) == 1000)
    }

    @Test func `a connection is replaced before its stream ids are used up`() {
        // Odd ids up to 2³¹ − 1.
        #expect(ConnectionPool.Configuration().streamsPerConnectionMax < 1 << 30)
        var (driver, id) = PoolDriver.ready { $0.streamsPerConnectionMax = 2500 }
        driver.demand()
        driver.answer(id, count: 2000)
        #expect(driver.pool.streamsAllowed(on: id) == 499, "one was used before")
        driver.pool.streamsOpened(id, count: 499, now: driver.now)
        driver.demand()
        #expect(driver.takeConnects().count == 1)
        driver.note(driver.pool.streamsClosed(id, count: 499, answered: 499))
        #expect(driver.take() == [.close(id, .drained)])
    }

    @Test func `P8: with streams open a dead connection is left within ten seconds, a slow one is kept`() {
        for isDead in [true, false] {
            var (driver, id) = PoolDriver.ready()
            driver.demand(false)
            driver.advance(.seconds(50))
            driver.pool.streamsOpened(id, count: 3, now: driver.now)
            var pings = 0
            var closedAfter: Int?
            for half in 1...36 where closedAfter == nil {
                driver.advance(.milliseconds(500))
                driver.tick()
                for action in driver.take() {
                    switch action {
                    case .ping:
                        pings += 1
                        if !isDead { driver.pool.heard(id, now: driver.now) }
                    case .close(_, let reason):
                        #expect(reason == .pingUnanswered)
                        closedAfter = half
                    case .connect: Issue.record("nobody wants a connection")
                    }
                }
            }
            #expect(closedAfter == (isDead ? 18 : nil))
            #expect(pings == (isDead ? 1 : 4), "one in four seconds of silence")
        }
    }

    @Test func `P8: a connection that drains is watched, too`() {
        var (driver, id) = PoolDriver.ready()
        driver.demand(false)
        driver.pool.streamsOpened(id, count: 3, now: driver.now)
        driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
        driver.advance(.seconds(4))
        driver.tick()
        driver.advance(.seconds(5))
        driver.tick()
        #expect(driver.take().suffix(2) == [.ping(id), .close(id, .pingUnanswered)])
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
        driver.advance(.seconds(5))
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
        driver.pool.streamsOpened(id, count: 10, now: driver.now)
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
        driver.pool.streamsOpened(id, count: 1, now: driver.now)
        driver.note(driver.pool.streamsClosed(id, count: 1))
        driver.note(driver.pool.streamDeadlinesPassed(id, count: 1, now: driver.now))
        #expect(driver.take() == [.close(id, .streamDeadlines)])
    }

    @Test func `shutting down lets streams end and opens nothing`() {
        var (driver, id) = PoolDriver.ready()
        driver.pool.streamsOpened(id, count: 1, now: driver.now)
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
