import Delivery
import Testing

/// Facts in any order, from a seed: the pool keeps its promises and never traps.
@Suite struct PoolPropertyTests {
    /// A peer that records the facts on which the pool may rely.
    private struct World {
        var driver: PoolDriver
        var random: SeededRandom
        var limits: [ConnectionPool.ConnectionID: Int] = [:]
        var open: [ConnectionPool.ConnectionID: Int] = [:]
        var draining: Set<ConnectionPool.ConnectionID> = []
        var connectTimes: [MonotonicInstant] = []

        mutating func obey() {
            for action in self.driver.take() {
                switch action {
                case .connect(let id):
                    #expect(self.limits[id] == nil, "an id was used twice")
                    self.limits[id] = -1
                    self.open[id] = 0
                    self.connectTimes.append(self.driver.now)
                case .ping: break
                case .close(let id, _): self.forget(id)
                }
            }
        }

        mutating func forget(_ id: ConnectionPool.ConnectionID) {
            self.open[id] = nil
            self.draining.remove(id)
        }

        mutating func step() {
            let ids = self.open.keys.sorted { $0.number < $1.number }
            let now = self.driver.now
            guard let id = ids.isEmpty ? nil : ids[self.random.next(ids.count)] else {
                self.driver.demand(self.random.next(4) > 0, busy: self.random.next(4) == 0)
                return
            }
            switch self.random.next(14) {
            case 0:
                self.driver.note(self.driver.pool.goAwayReceived(id, isOrderly: true, now: now));
                self.draining.insert(id)
            case 1:
                self.forget(id)
                let isNew = self.limits[id] == -1
                self.driver.note(
                    isNew
                        ? self.driver.pool.connectFailed(id, now: now)
                        : self.driver.pool.connectionLost(id, now: now)
                )
            case 2: self.driver.note(self.driver.pool.retire(id, now: now)); self.draining.insert(id)
            case 3...5: self.settings(id)
            case 6: self.driver.pool.authenticated(id)
            case 7: self.driver.answer(id)
            case 8: self.close(id, count: 1, isDeadline: true)
            case 9, 10: self.close(id, count: self.random.next(50), isDeadline: false)
            case 11: self.driver.demand(self.random.next(4) > 0, busy: self.random.next(4) == 0)
            default: self.fill(id)
            }
        }

        mutating func settings(_ id: ConnectionPool.ConnectionID) {
            let limit = [0, 1, 10, 100, 5000][self.random.next(5)]
            if self.limits[id] == -1 { self.driver.pool.connectionEstablished(id, now: self.driver.now) }
            self.driver.pool.settingsReceived(id, maxStreams: limit, now: self.driver.now)
            self.limits[id] = limit
        }

        mutating func fill(_ id: ConnectionPool.ConnectionID) {
            let allowed = self.driver.pool.streamsAllowed(on: id)
            let limit = self.limits[id] ?? -1
            #expect(allowed == 0 || !self.draining.contains(id), "a stream on a connection that drains")
            #expect(allowed == 0 || allowed + (self.open[id] ?? 0) <= min(limit, 1000), "above the limit")
            self.driver.pool.streamsOpened(id, count: allowed, now: self.driver.now)
            self.open[id, default: 0] += allowed
        }

        mutating func close(_ id: ConnectionPool.ConnectionID, count: Int, isDeadline: Bool) {
            let closing = min(count, self.open[id] ?? 0)
            guard closing > 0 else { return }
            self.open[id, default: 0] -= closing
            self.driver.note(self.driver.pool.streamsClosed(id, count: closing))
            guard isDeadline else { return }
            self.driver.note(self.driver.pool.streamDeadlinesPassed(id, count: closing, now: self.driver.now))
        }
    }

    private struct SeededRandom {
        var state: UInt64
        mutating func next(_ bound: Int) -> Int {
            self.state = self.state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
            return Int(self.state >> 33) % bound
        }
    }

    @Test(arguments: 1...60)
    func `whatever happens, limits hold and attempts are rationed`(seed: Int) {
        var world = World(driver: PoolDriver(seed: UInt64(seed)), random: SeededRandom(state: UInt64(seed)))
        for _ in 0..<1500 {
            world.step()
            world.obey()
            world.driver.advance(.milliseconds(world.random.next(60)))
            if let next = world.driver.pool.nextDeadline, next <= world.driver.now { world.driver.tick() }
            world.obey()
            #expect(world.driver.pool.snapshot.openStreams == world.open.values.reduce(0, +))
        }
        // Nine attempts never lie within one second, nor 8 + n within n seconds.
        for (index, time) in world.connectTimes.enumerated() where index >= 9 {
            #expect(time.since(world.connectTimes[index - 9]) >= .milliseconds(999))
        }
    }

    @Test func `with demand and a healthy peer the pool is never stuck`() {
        for seed in 1...200 {
            var world = World(driver: PoolDriver(seed: UInt64(seed)), random: SeededRandom(state: UInt64(seed)))
            for _ in 0..<300 {
                world.step()
                world.obey()
                world.driver.advance(.milliseconds(20))
                world.driver.tick()
                world.obey()
            }
            // From here on everything succeeds.
            var isServed = false
            for _ in 0..<2000 where !isServed {
                world.driver.demand()
                world.obey()
                for id in world.open.keys where !world.draining.contains(id) {
                    world.driver.pool.connectionEstablished(id, now: world.driver.now)
                    world.driver.pool.settingsReceived(id, maxStreams: 2000, now: world.driver.now)
                    if world.driver.pool.streamsAllowed(on: id) > 0 { isServed = true }
                }
                for id in world.open.keys { world.close(id, count: 5000, isDeadline: false) }
                world.driver.advance(.milliseconds(20))
                world.driver.tick()
                world.obey()
            }
            #expect(isServed, "seed \(seed)")
        }
    }
}
