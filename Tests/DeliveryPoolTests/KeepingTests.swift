import Delivery
import Testing

@Suite struct KeepingTests {
    /// A pool that keeps one connection, which is ready and idle.
    static func kept(seed: UInt64 = 1) -> (PoolDriver, ConnectionPool.ConnectionID) {
        var (driver, id) = PoolDriver.ready(seed: seed)
        driver.demand(false)
        driver.note(driver.pool.keep(1, now: driver.now))
        #expect(driver.take().isEmpty)
        return (driver, id)
    }

    @Test func `a connection is opened before there is a request, once`() {
        var driver = PoolDriver()
        driver.note(driver.pool.keep(1, now: driver.now))
        let connects = driver.takeConnects()
        #expect(connects.count == 1)
        driver.note(driver.pool.keep(1, now: driver.now))
        driver.establish(connects[0])
        driver.note(driver.pool.keep(1, now: driver.now))
        driver.tick()
        #expect(driver.take().isEmpty)
        #expect(driver.pool.snapshot.warm == 1)
    }

    @Test func `an idle connection is asked every minute, and stays for hours`() {
        var (driver, id) = Self.kept()
        for _ in 0..<300 {
            driver.advance(.seconds(60))
            driver.tick()
            #expect(driver.take() == [.ping(id)])
            driver.pool.heard(id, now: driver.now)
        }
    }

    @Test func `a pool that was told nothing closes and opens nothing while it is idle`() {
        var (driver, id) = PoolDriver.ready()
        driver.demand(false)
        for _ in 0..<60 {
            driver.advance(.seconds(60))
            driver.tick()
            #expect(driver.take() == [.ping(id)])
            driver.pool.heard(id, now: driver.now)
        }
        driver.note(driver.pool.connectionLost(id, now: driver.now))
        driver.advance(.seconds(600))
        driver.tick()
        #expect(driver.take().isEmpty)
    }

    @Test func `connections above the number close when they were unused for five minutes, the oldest first`() {
        var (driver, first) = PoolDriver.ready { $0.growAfter = .zero }
        driver.pool.streamsOpened(first, count: 1000, now: driver.now)
        driver.demand()
        driver.demand()
        let second = driver.takeConnects()[0]
        driver.establish(second)
        driver.note(driver.pool.streamsClosed(first, count: 1000, answered: 1000))
        driver.demand(false)
        driver.note(driver.pool.keep(1, now: driver.now))
        // The answer to a PING is no use.
        driver.advance(.milliseconds(299_999))
        driver.pool.heard(first, now: driver.now)
        driver.pool.heard(second, now: driver.now)
        driver.tick()
        #expect(driver.take().isEmpty)
        #expect(driver.pool.nextDeadline == driver.now.advanced(by: .milliseconds(1)))
        driver.advance(.milliseconds(1))
        driver.tick()
        #expect(driver.take() == [.close(first, .drained)])
        #expect(driver.pool.snapshot.warm == 1)
    }

    @Test func `a pool that is to keep none closes its last connection, and opens one on demand`() {
        var (driver, id) = Self.kept()
        driver.note(driver.pool.keep(0, now: driver.now))
        driver.advance(.seconds(300))
        driver.tick()
        #expect(driver.take() == [.close(id, .drained)])
        driver.advance(.seconds(3600))
        driver.tick()
        #expect(driver.take().isEmpty && driver.pool.nextDeadline == nil)
        driver.demand()
        #expect(driver.takeConnects().count == 1)
    }

    @Test func `a kept connection that ends is opened anew after a wait of its own`() {
        var waits: Set<Int64> = []
        for seed in 1...20 {
            var (driver, id) = Self.kept(seed: UInt64(seed))
            driver.advance(.seconds(60))
            let end = driver.now
            driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
            #expect(driver.take() == [.close(id, .drained)])
            guard let next = driver.pool.nextDeadline else {
                Issue.record("no time to open it anew")
                return
            }
            #expect((.milliseconds(500) ... .seconds(1)).contains(next.since(end)))
            waits.insert(next.nanoseconds)
            driver.now = next
            driver.tick()
            #expect(driver.takeConnects().count == 1)
        }
        #expect(waits.count > 15, "all workers come back at the same instant")
    }

    @Test func `a peer that closes every idle connection is asked more and more rarely, until one is used`() {
        var driver = PoolDriver()
        driver.note(driver.pool.keep(1, now: driver.now))
        var waits: [Duration] = []
        var id = driver.takeConnects()[0]
        for _ in 0..<14 {
            driver.establish(id)
            driver.advance(.seconds(30))
            let end = driver.now
            driver.note(driver.pool.connectionLost(id, now: driver.now))
            while true {
                guard let next = driver.pool.nextDeadline else {
                    Issue.record("no time to open it anew")
                    return
                }
                driver.now = next
                driver.tick()
                if let connect = driver.takeConnects().first {
                    id = connect
                    break
                }
            }
            waits.append(driver.now.since(end))
        }
        #expect(waits[0] <= .seconds(1))
        #expect(waits.suffix(3).allSatisfy { (.seconds(300) ... .seconds(600)).contains($0) }, "\(waits)")
        driver.establish(id)
        driver.answer(id)
        driver.note(driver.pool.connectionLost(id, now: driver.now))
        #expect(driver.pool.nextDeadline.map { $0.since(driver.now) <= .seconds(1) } == true)
    }

    @Test func `requests do not wait because kept connections ended that were never asked anything`() {
        var driver = PoolDriver()
        driver.note(driver.pool.keep(1, now: driver.now))
        for _ in 0..<5 {
            while driver.actions.isEmpty {
                guard let next = driver.pool.nextDeadline else {
                    Issue.record("no time to open it anew")
                    return
                }
                driver.now = next
                driver.tick()
            }
            let id = driver.takeConnects()[0]
            driver.establish(id)
            driver.advance(.seconds(30))
            driver.note(driver.pool.goAwayReceived(id, isOrderly: true, now: driver.now))
            #expect(driver.take() == [.close(id, .drained)])
        }
        driver.demand()
        #expect(driver.takeConnects().count == 1)
    }

    @Test func `an old connection leaves when its replacement is ready, and loses no stream`() {
        var (driver, old) = Self.kept()
        driver.note(driver.pool.keep(1, now: driver.now))
        driver.advance(.seconds(7 * 3600))
        driver.pool.heard(old, now: driver.now)
        driver.tick()
        let replacement = driver.takeConnects()
        #expect(replacement.count == 1)
        // Requests that come meanwhile have a connection.
        #expect(driver.pool.streamsAllowed(on: old) == 1000)
        driver.pool.streamsOpened(old, count: 3, now: driver.now)
        driver.advance(.seconds(1))
        driver.tick()
        #expect(driver.take().isEmpty)
        driver.establish(replacement[0])
        driver.advance(.seconds(1))
        driver.tick()
        #expect(driver.take().isEmpty)
        #expect(driver.pool.streamsAllowed(on: old) == 0)
        driver.note(driver.pool.streamsClosed(old, count: 3, answered: 3))
        #expect(driver.take() == [.close(old, .drained)])
        #expect(driver.pool.snapshot.ready == 1)
    }

    @Test func `an old connection stays as long as no other can be opened`() {
        var (driver, old) = Self.kept()
        driver.advance(.seconds(7 * 3600))
        for _ in 0..<100 {
            driver.pool.heard(old, now: driver.now)
            driver.tick()
            for id in driver.takeConnects() { driver.note(driver.pool.connectFailed(id, now: driver.now)) }
            driver.advance(.seconds(1))
        }
        #expect(driver.pool.streamsAllowed(on: old) == 1000)
    }

    @Test func `a start is warm if a connection was ready, and cold if it waited for one`() {
        var driver = PoolDriver()
        driver.demand()
        let id = driver.takeConnects()[0]
        driver.establish(id)
        driver.answer(id)
        #expect(driver.pool.starts.cold == 1 && driver.pool.starts.warm == 0)
        driver.demand(false)
        driver.advance(.seconds(9))
        driver.answer(id)
        #expect(driver.pool.starts.warm == 0, "it is the same sending still")
        driver.advance(.seconds(10))
        driver.answer(id)
        #expect(driver.pool.starts.cold == 1 && driver.pool.starts.warm == 1)
    }

    @Test func `nothing is opened once the pool is shut down`() {
        var (driver, id) = Self.kept()
        driver.note(driver.pool.shutDown())
        #expect(driver.take() == [.close(id, .drained)])
        driver.note(driver.pool.keep(1, now: driver.now))
        driver.advance(.seconds(60))
        driver.tick()
        #expect(driver.take().isEmpty)
    }
}
