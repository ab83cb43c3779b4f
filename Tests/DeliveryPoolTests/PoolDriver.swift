import Delivery

/// A pool with a manual clock, and a peer that acts as told.
struct PoolDriver {
    var pool: ConnectionPool
    var now = MonotonicInstant(nanoseconds: 0)
    /// All actions of the pool, in order.
    var actions: [ConnectionPool.Action] = []

    /// - Parameter congestion: False for a window that is never full, for tests of all other limits.
    init(
        seed: UInt64 = 1,
        congestion: Bool = false,
        _ change: (inout ConnectionPool.Configuration) -> Void = { _ in }
    ) {
        var configuration = ConnectionPool.Configuration()
        if !congestion { configuration.windowInitial = 1_000_000 }
        change(&configuration)
        self.pool = ConnectionPool(configuration: configuration, seed: seed)
    }

    mutating func advance(_ span: Duration) {
        self.now = self.now.advanced(by: span)
    }

    mutating func note(_ actions: [ConnectionPool.Action]) {
        self.actions += actions
    }

    mutating func demand(_ hasDemand: Bool = true, busy: Bool = false) {
        self.note(self.pool.demandChanged(hasDemand, isLoopBusy: busy, now: self.now))
    }

    mutating func tick() {
        self.note(self.pool.deadlineReached(now: self.now))
    }

    /// Takes the actions so far.
    mutating func take() -> [ConnectionPool.Action] {
        defer { self.actions = [] }
        return self.actions
    }

    /// Takes all actions and returns the connections that the pool wants opened.
    mutating func takeConnects() -> [ConnectionPool.ConnectionID] {
        self.take().compactMap { if case .connect(let id) = $0 { id } else { nil } }
    }

    /// Makes a requested connection ready.
    mutating func establish(_ id: ConnectionPool.ConnectionID, maxStreams: Int = 1000) {
        self.pool.connectionEstablished(id, now: self.now)
        self.pool.settingsReceived(id, maxStreams: maxStreams, now: self.now)
    }

    /// Opens so many streams on a connection, each of which is answered.
    mutating func answer(_ id: ConnectionPool.ConnectionID, count: Int = 1) {
        self.pool.streamsOpened(id, count: count, now: self.now)
        self.note(self.pool.streamsClosed(id, count: count, answered: count))
    }

    /// Returns a pool with one ready connection that has answered.
    static func ready(
        seed: UInt64 = 1,
        _ change: (inout ConnectionPool.Configuration) -> Void = { _ in }
    ) -> (PoolDriver, ConnectionPool.ConnectionID) {
        var driver = PoolDriver(seed: seed, change)
        driver.demand()
        guard let id = driver.takeConnects().first else { preconditionFailure("no connection was asked for") }
        driver.establish(id)
        driver.answer(id)
        driver.pool.authenticated(id)
        return (driver, id)
    }
}
