/// Which connections to one endpoint exist and how many streams each may carry: facts in, actions out.
///
/// One per (app, endpoint, event loop). It knows no socket, no clock and no source of chance: the driver hands in
/// the time, and jitter comes from the seed. Every fact about a connection that the pool has forgotten is ignored,
/// because facts and actions cross each other.
///
/// * A connection takes no stream before the peer's SETTINGS, then as many as they say at that moment (0: wait);
///   with `oneStreamUntilAuthenticated` one until ``authenticated(_:)``.
/// * Connections are opened on demand: the first at once, another when all streams were taken for `growAfter` and
///   the loop has time left. Attempts are rationed (`connectBurst`, then one per `connectInterval`) and held back
///   after failures (back-off with jitter, once every address was tried).
/// * A connection that ends, or is left, without one answer counts as a failure: a peer that says GOAWAY to
///   everything must not be hammered.
public struct ConnectionPool: Sendable {
    /// The rules; fixed for the pool's life.
    public let configuration: Configuration
    var connections: [Connection] = []
    var random: PoolRandom
    /// How many addresses the driver has resolved; at least 1.
    var addressCount = 1
    var nextAddress = 0
    var nextNumber: UInt32 = 1
    /// Attempts or connections in a row that gave not one answer.
    var failures = 0
    /// No attempt before this (back-off).
    var notBefore: MonotonicInstant?
    /// Attempts that may be made at once, and when that was last counted.
    var tickets: Double
    var ticketsAt: MonotonicInstant?
    var hasDemand = false
    var saturatedSince: MonotonicInstant?
    var isShutDown = false

    /// Makes an empty pool; `seed` decides all jitter.
    public init(configuration: Configuration, seed: UInt64) {
        precondition(configuration.streamsMax > 0 && configuration.connectionsMax > 0, "an empty pool")
        self.configuration = configuration
        self.random = PoolRandom(seed: seed)
        self.tickets = Double(configuration.connectBurst)
    }

    // MARK: Questions

    /// How many streams may be opened on a connection now.
    public func streamsAllowed(on id: ConnectionID) -> Int {
        guard let index = self.index(of: id) else { return 0 }
        return self.freeStreams(of: self.connections[index])
    }

    /// Whether a connection still exists for the pool.
    public func knows(_ id: ConnectionID) -> Bool { self.index(of: id) != nil }

    /// What the pool looks like.
    public var snapshot: Snapshot {
        var snapshot = Snapshot()
        for connection in self.connections {
            snapshot.openStreams += connection.openStreams
            switch connection.phase {
            case .connecting, .awaitingSettings: snapshot.connecting += 1
            case .ready: snapshot.ready += 1
            case .draining: snapshot.draining += 1
            }
        }
        return snapshot
    }

    func index(of id: ConnectionID) -> Int? { self.connections.firstIndex { $0.id == id } }

    func freeStreams(of connection: Connection) -> Int {
        guard connection.phase == .ready else { return 0 }
        return max(0, self.limit(of: connection) - connection.openStreams)
    }

    private func limit(of connection: Connection) -> Int {
        let limit = min(self.configuration.streamsMax, connection.peerLimit)
        let waits = self.configuration.oneStreamUntilAuthenticated && !connection.isAuthenticated
        return waits ? min(1, limit) : limit
    }

    // MARK: Facts about a connection's life

    /// The driver resolved the host name to so many addresses (at least 1).
    public mutating func addressesResolved(_ count: Int) {
        self.addressCount = max(1, count)
    }

    /// TCP and TLS are done; SETTINGS are still to come.
    public mutating func connectionEstablished(_ id: ConnectionID, now: MonotonicInstant) {
        guard let index = self.index(of: id), self.connections[index].phase == .connecting else { return }
        self.connections[index].phase = .awaitingSettings
        self.connections[index].phaseDeadline = now.advanced(by: self.configuration.settingsDeadline)
        self.connections[index].heardAt = now
    }

    /// The peer's SETTINGS, the first or later ones, allow so many streams at once.
    public mutating func settingsReceived(_ id: ConnectionID, maxStreams: Int, now: MonotonicInstant) {
        guard let index = self.index(of: id) else { return }
        self.connections[index].peerLimit = maxStreams
        guard self.connections[index].phase == .awaitingSettings else { return }
        self.connections[index].phase = .ready
        self.connections[index].phaseDeadline = nil
        // ± 10 %, so that connections opened together do not leave together.
        let age = self.configuration.ageMax * (0.9 + 0.2 * self.random.next())
        self.connections[index].retireAt = now.advanced(by: age)
    }

    /// The attempt failed: DNS, TCP, TLS or the peer's certificate.
    public mutating func connectFailed(_ id: ConnectionID, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: id) else { return [] }
        self.connections.remove(at: index)
        self.countFailure(now: now)
        return self.openIfNeeded(now: now)
    }

    /// The connection ended, whoever closed it.
    public mutating func connectionLost(_ id: ConnectionID, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: id) else { return [] }
        let connection = self.connections.remove(at: index)
        if !connection.hasAnswered && connection.phase != .draining { self.countFailure(now: now) }
        return self.openIfNeeded(now: now)
    }

    /// The peer said GOAWAY: no new stream here.
    ///
    /// Streams above its last id end as refused, the others go on.
    public mutating func goAwayReceived(_ id: ConnectionID, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: id) else { return [] }
        if !self.connections[index].hasAnswered && self.connections[index].phase != .draining {
            self.countFailure(now: now)
        }
        return self.drain(at: index) + self.openIfNeeded(now: now)
    }

    /// Takes a connection out of service, because its credential is wedged or its first stream was refused.
    public mutating func retire(_ id: ConnectionID, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: id), self.connections[index].phase != .draining else { return [] }
        if !self.connections[index].hasAnswered { self.countFailure(now: now) }
        return self.drain(at: index) + self.openIfNeeded(now: now)
    }

    /// No new connection and no new stream from now on; connections close as they drain.
    public mutating func shutDown() -> [Action] {
        self.isShutDown = true
        self.hasDemand = false
        var actions: [Action] = []
        for connection in self.connections {
            guard let index = self.index(of: connection.id) else { continue }
            switch connection.phase {
            case .connecting, .awaitingSettings:
                self.connections.remove(at: index)
                actions.append(.close(connection.id, .drained))
            case .ready, .draining: actions += self.drain(at: index)
            }
        }
        return actions
    }

    // MARK: Facts about streams

    /// Bytes of the peer came.
    public mutating func heard(_ id: ConnectionID, now: MonotonicInstant) {
        guard let index = self.index(of: id) else { return }
        self.connections[index].heardAt = now
        // Any frame proves life as well as the acknowledgement does.
        self.connections[index].pingDeadline = nil
    }

    /// So many streams were opened.
    public mutating func streamsOpened(_ id: ConnectionID, count: Int) {
        guard let index = self.index(of: id) else { return }
        self.connections[index].openStreams += count
    }

    /// So many streams ended, in whatever way.
    public mutating func streamsClosed(_ id: ConnectionID, count: Int) -> [Action] {
        guard let index = self.index(of: id) else { return [] }
        self.connections[index].openStreams -= count
        precondition(self.connections[index].openStreams >= 0, "more streams ended than were opened")
        guard self.connections[index].phase == .draining else { return [] }
        return self.drain(at: index)
    }

    /// A request was answered, with whatever status.
    public mutating func answered(_ id: ConnectionID) {
        guard let index = self.index(of: id), !self.connections[index].hasAnswered else { return }
        self.connections[index].hasAnswered = true
        self.failures = 0
        self.notBefore = nil
    }

    /// The peer accepted this connection's credential: an answer showed it.
    public mutating func authenticated(_ id: ConnectionID) {
        guard let index = self.index(of: id) else { return }
        self.connections[index].isAuthenticated = true
    }

    /// So many streams had no answer in time (they are reported as closed, too).
    ///
    /// The third one within a minute ends the connection, and the first one if it never answered at all.
    public mutating func streamDeadlinesPassed(
        _ id: ConnectionID,
        count: Int,
        now: MonotonicInstant
    ) -> [Action] {
        guard count > 0, let index = self.index(of: id) else { return [] }
        if let since = self.connections[index].deadlinesSince,
            now.since(since) <= self.configuration.deadlineWindow
        {
            self.connections[index].deadlines += count
        } else {
            self.connections[index].deadlines = count
            self.connections[index].deadlinesSince = now
        }
        let connection = self.connections[index]
        guard connection.deadlines >= self.configuration.deadlinesMax || !connection.hasAnswered else { return [] }
        self.connections.remove(at: index)
        if !connection.hasAnswered { self.countFailure(now: now) }
        return [.close(id, .streamDeadlines)] + self.openIfNeeded(now: now)
    }

    /// Lets a connection finish what it has; closes it at once when that is nothing.
    mutating func drain(at index: Int) -> [Action] {
        self.connections[index].phase = .draining
        self.connections[index].phaseDeadline = nil
        self.connections[index].retireAt = nil
        guard self.connections[index].openStreams == 0 else { return [] }
        let connection = self.connections.remove(at: index)
        return [.close(connection.id, .drained)]
    }
}
