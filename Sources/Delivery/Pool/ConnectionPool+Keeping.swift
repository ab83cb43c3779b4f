/// The connections that a pool keeps while there is nothing to send, so that the next request does not wait for a
/// handshake.
///
/// * A kept connection that ends is opened anew after a wait with jitter, which doubles while none of them was used: a
///   peer that closes idle connections must not be asked for one for ever, nor by all workers at the same instant.
/// * One that grows old leaves when its replacement is ready, not before.
/// * Those above the number close when they have been unused for ``Configuration/idleMax``.
extension ConnectionPool {
    /// The state of keeping.
    struct Keeping: Sendable {
        /// The number of connections to keep; nil until somebody said one: then none is opened and none closed.
        var count: Int?
        /// The instant from which a kept connection that ended is opened anew; nil while none is missing.
        var reopenAt: MonotonicInstant?
        /// The number of kept connections that ended since a request was last opened.
        var ends = 0
        /// The time at which a request was last opened, on any connection.
        var usedAt: MonotonicInstant?
        /// True if requests wait because no connection was ready when they came.
        var isColdStart = false
    }

    /// Sets how many connections the pool keeps while there are no requests, and opens the first one if it has none.
    ///
    /// May be repeated: it does not shorten the wait after kept connections ended, nor any other back-off.
    /// - Parameter count: 0 for none: idle connections close when they have been unused for ``Configuration/idleMax``.
    public mutating func keep(_ count: Int, now: MonotonicInstant) -> [Action] {
        precondition(count >= 0, "fewer connections than none")
        guard !self.isShutDown else { return [] }
        let hadNone = (self.keeping.count ?? 0) == 0
        self.keeping.count = min(count, self.configuration.connectionsMax)
        if hadNone, count > 0, self.aliveCount == 0 { self.keeping.reopenAt = now }
        return self.openIfNeeded(now: now)
    }

    /// The number of connections that the pool is to keep.
    var keptCount: Int { self.keeping.count ?? 0 }

    /// Opens a kept connection that is missing, if its time has come.
    mutating func openKept(now: MonotonicInstant) -> [Action] {
        guard self.aliveCount < self.keptCount else {
            self.keeping.reopenAt = nil
            return []
        }
        guard let at = self.keeping.reopenAt else {
            self.keeping.ends += 1
            self.keeping.reopenAt = now.advanced(by: self.reopenWait())
            return []
        }
        guard at <= now else { return [] }
        let actions = self.open(now: now)
        if !actions.isEmpty { self.keeping.reopenAt = nil }
        return actions
    }

    private mutating func reopenWait() -> Duration {
        // 2^16 times the base is above any sensible maximum.
        let doublings = min(16, self.keeping.ends - 1)
        let full = min(self.configuration.reopenMax, self.configuration.reopenBase * (1 << doublings))
        return full * (0.5 + 0.5 * self.random.next())
    }

    /// The instant at which a missing kept connection may be opened; nil if none is missing.
    var keptAttemptAt: MonotonicInstant? {
        guard let at = self.keeping.reopenAt, self.aliveCount < self.keptCount else { return nil }
        return self.earliestAttempt.map { max($0, at) } ?? at
    }

    // MARK: Closing

    /// The instant at which a connection closes because it is unused; nil if it is kept, or busy.
    func unusedAt(_ connection: Connection) -> MonotonicInstant? {
        guard self.keeping.count != nil, connection.phase == .ready, connection.openStreams == 0,
            self.readyCount > self.keptCount
        else { return nil }
        return connection.usedAt.advanced(by: self.configuration.idleMax)
    }

    /// The number of connections that take streams now.
    private var readyCount: Int { self.connections.count { $0.phase == .ready } }

    /// Handles a connection's age: opens its replacement, and retires it once there is one.
    ///
    /// - Returns: Nil if the connection may leave at once.
    mutating func replaceBeforeLeaving(at index: Int, now: MonotonicInstant) -> [Action]? {
        let isNeeded = self.readyCount <= self.keptCount
        guard isNeeded else { return nil }
        self.connections[index].retireAt = now.advanced(by: self.configuration.replacePause)
        guard self.aliveCount <= self.keptCount else { return [] }
        let actions = self.open(isReplacement: true, now: now)
        if !actions.isEmpty { self.connections[index].isReplaced = true }
        return actions
    }

    /// Returns true if the end of a connection says that the peer does not serve us: it never answered.
    ///
    /// One that was ready for some seconds and carried no request had nothing to answer. Were it a failure, requests
    /// that come after it would wait out a back-off.
    func hasFailed(_ connection: Connection, now: MonotonicInstant) -> Bool {
        let wasIdle = connection.phase == .ready && connection.streamsUsed == 0
        if wasIdle, now.since(connection.usedAt) >= self.configuration.idleMin { return false }
        return !connection.hasAnswered
    }

    // MARK: Starts

    /// The silence after which requests are a new start, for ``Snapshot``'s counts of warm and cold ones.
    static let startsAfter: Duration = .seconds(10)

    /// Counts a start if these requests are the first ones for a while.
    mutating func noteUse(now: MonotonicInstant) {
        defer {
            self.keeping.usedAt = now
            self.keeping.isColdStart = false
            self.keeping.ends = 0
        }
        if let usedAt = self.keeping.usedAt, now.since(usedAt) < Self.startsAfter { return }
        if self.keeping.isColdStart { self.starts.cold += 1 } else { self.starts.warm += 1 }
    }

    /// Notes that requests wait: their start is cold if no connection is ready for them.
    mutating func noteWait() {
        if self.readyCount == 0 { self.keeping.isColdStart = true }
    }
}
