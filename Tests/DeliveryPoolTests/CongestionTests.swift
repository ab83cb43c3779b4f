import Delivery
import Testing

@Suite struct CongestionTests {
    /// A provider that answers requests in their order, so many in a second, each after a latency at least.
    private struct Provider {
        let perSecond: Int
        let latency: Duration
        /// The connections and instants of the requests that wait, the oldest first.
        var waiting: [(connection: ConnectionPool.ConnectionID, at: MonotonicInstant)] = []
        var credit = 0.0
        var answered = 0
        var slowest = Duration.zero

        /// Returns the requests to answer now, by connection.
        mutating func due(
            at now: MonotonicInstant,
            after span: Duration
        ) -> [ConnectionPool.ConnectionID: [MonotonicInstant]] {
            self.credit = min(self.credit + Double(self.perSecond) * (span / .seconds(1)), 1000)
            var due: [ConnectionPool.ConnectionID: [MonotonicInstant]] = [:]
            var count = 0
            while count < self.waiting.count, self.credit >= 1, now.since(self.waiting[count].at) >= self.latency {
                due[self.waiting[count].connection, default: []].append(self.waiting[count].at)
                self.slowest = max(self.slowest, now.since(self.waiting[count].at))
                self.credit -= 1
                count += 1
            }
            self.waiting.removeFirst(count)
            self.answered += count
            return due
        }
    }

    /// Lets a pool with endless demand send to a provider for a while, in steps of 5 ms.
    private func send(
        to provider: inout Provider,
        by driver: inout PoolDriver,
        for span: Duration,
        streams: Int = 1000
    ) {
        let end = driver.now.advanced(by: span)
        var ready: [ConnectionPool.ConnectionID] = Array(Set(provider.waiting.map(\.connection)))
        while driver.now < end {
            driver.advance(.milliseconds(5))
            driver.demand()
            driver.tick()
            for id in driver.takeConnects() {
                driver.establish(id, maxStreams: streams)
                ready.append(id)
            }
            for (id, requests) in provider.due(at: driver.now, after: .milliseconds(5)) {
                let times = requests.map { driver.now.since($0) }
                guard let fastest = times.min(), let slowest = times.max() else { continue }
                driver.pool.heard(id, now: driver.now)
                driver.pool.answersTook(fastest...slowest, count: times.count, now: driver.now)
                driver.note(driver.pool.streamsClosed(id, count: times.count, answered: times.count))
            }
            for id in ready {
                let due = driver.pool.streamsDue(on: id, now: driver.now)
                driver.pool.streamsOpened(id, count: due, now: driver.now)
                for _ in 0..<due { provider.waiting.append((id, driver.now)) }
            }
        }
    }

    @Test(arguments: [50, 500, 5000])
    func `a provider that answers few requests a second answers each long before its deadline`(
        _ perSecond: Int
    ) {
        var driver = PoolDriver(congestion: true)
        var provider = Provider(perSecond: perSecond, latency: .milliseconds(20))
        send(to: &provider, by: &driver, for: .seconds(4))
        // Whoever starts with a thousand streams has to wait for as many answers.
        let began = max(.seconds(5), .seconds(1) * (Double(1000) / Double(perSecond)))
        #expect(provider.slowest < began + .seconds(1))
        send(to: &provider, by: &driver, for: began * 3)
        provider.slowest = .zero
        let before = provider.answered
        send(to: &provider, by: &driver, for: .seconds(60))
        #expect(provider.slowest < .seconds(6), "\(provider.slowest)")
        // It is never idle.
        #expect(provider.answered - before >= 60 * perSecond - 1)
    }

    @Test func `a provider that answers in good time gets every stream of every connection`() {
        var driver = PoolDriver(congestion: true)
        var provider = Provider(perSecond: 10_000_000, latency: .milliseconds(50))
        send(to: &provider, by: &driver, for: .seconds(5))
        let snapshot = driver.pool.snapshot
        // As many as the ration of attempts allows.
        #expect(snapshot.ready >= 12)
        #expect(snapshot.openStreams == 1000 * snapshot.ready)
    }

    @Test func `a provider that is slow without a queue keeps its streams`() {
        var driver = PoolDriver(congestion: true)
        var provider = Provider(perSecond: 10_000_000, latency: .seconds(3))
        send(to: &provider, by: &driver, for: .seconds(30))
        #expect(driver.pool.snapshot.openStreams > 4000)
    }

    @Test func `a provider that becomes slow has its streams halved, and gets them back`() {
        var driver = PoolDriver(congestion: true)
        var provider = Provider(perSecond: 10_000_000, latency: .milliseconds(50))
        send(to: &provider, by: &driver, for: .seconds(2))
        let before = driver.pool.snapshot.openStreams
        var slow = Provider(perSecond: 1000, latency: .milliseconds(50), waiting: provider.waiting)
        send(to: &slow, by: &driver, for: .seconds(120))
        #expect(driver.pool.snapshot.openStreams < 6000)
        var fast = Provider(perSecond: 10_000_000, latency: .milliseconds(50), waiting: slow.waiting)
        send(to: &fast, by: &driver, for: .seconds(10))
        #expect(driver.pool.snapshot.openStreams >= before)
    }

    @Test func `one slow host among several does not take the others' streams`() throws {
        var driver = PoolDriver(congestion: true)
        driver.demand()
        let first = try #require(driver.takeConnects().first)
        driver.establish(first)
        for _ in 1...100 {
            driver.pool.streamsOpened(first, count: 900, now: driver.now)
            driver.advance(.milliseconds(50))
            for _ in 1...10 {
                driver.pool.answersTook(.milliseconds(40) ... .milliseconds(50), count: 60, now: driver.now)
                driver.pool.answersTook(.seconds(5) ... .seconds(6), count: 30, now: driver.now)
                driver.note(driver.pool.streamsClosed(first, count: 90, answered: 90))
            }
            // After each round, because a window that was cut grows again.
            try #require(driver.pool.streamsAllowed(on: first) == 1000)
        }
    }

    @Test func `a lost answer among timely ones takes no streams, and one among none takes nearly all`() throws {
        for isTimely in [true, false] {
            var driver = PoolDriver(congestion: true)
            driver.demand()
            let id = try #require(driver.takeConnects().first)
            driver.establish(id)
            driver.pool.streamsOpened(id, count: 1000, now: driver.now)
            driver.pool.answersTook(.milliseconds(1) ... .milliseconds(1), count: 10, now: driver.now)
            driver.note(driver.pool.streamsClosed(id, count: 10, answered: 10))
            driver.advance(.seconds(10))
            if isTimely {
                driver.pool.answersTook(.milliseconds(1) ... .milliseconds(1), count: 1, now: driver.now)
                driver.note(driver.pool.streamsClosed(id, count: 1, answered: 1))
            }
            driver.note(driver.pool.streamsClosed(id, count: 980))
            driver.note(driver.pool.streamDeadlinesPassed(id, count: 1, now: driver.now))
            #expect((driver.pool.streamsAllowed(on: id) > 900) == isTimely)
        }
    }
}
