/// The number of streams that each connection may carry, by the peer's SETTINGS, our limits, the peer's wish for calm
/// and the time that its answers take.
extension ConnectionPool {
    /// The pool's present state.
    public var snapshot: Snapshot {
        var snapshot = Snapshot()
        snapshot.calmLimit = self.calm?.limit
        snapshot.window = self.window.streams
        for connection in self.connections {
            snapshot.openStreams += connection.openStreams
            switch connection.phase {
            case .connecting, .awaitingSettings: snapshot.connecting += 1
            case .ready:
                snapshot.ready += 1
                snapshot.streamsAllowed += self.limit(of: connection)
                if connection.isCollapsed { snapshot.collapsed += 1 }
                if connection.openStreams == 0 { snapshot.warm += 1 }
            case .draining: snapshot.draining += 1
            }
        }
        return snapshot
    }

    /// The streams open on all connections.
    var openStreams: Int { self.connections.reduce(0) { $0 + $1.openStreams } }

    /// The streams that may be opened before the window is full.
    var windowLeft: Int { max(0, self.window.streams - self.openStreams) }

    /// Notes the number of concurrent streams that the peer's SETTINGS allow, the first or later ones.
    ///
    /// The new limit applies from the next ``streamsAllowed(on:)``. The result says whether the pool as a whole
    /// collapses (APNs does that to senders of bad tokens) or has recovered.
    @discardableResult
    public mutating func settingsReceived(
        _ id: ConnectionID,
        maxStreams: Int,
        now: MonotonicInstant
    ) -> LimitChange? {
        guard let index = self.index(of: id) else { return nil }
        let wasCollapsed = self.isCollapsed
        let limit = min(maxStreams, self.configuration.streamsMax)
        let best = self.connections[index].peerLimitBest
        self.connections[index].peerLimit = limit
        self.connections[index].peerLimitBest = max(best, limit)
        if self.connections[index].phase == .awaitingSettings {
            self.connections[index].phase = .ready
            self.connections[index].phaseDeadline = nil
            self.connections[index].usedAt = now
            // ± 10 %, so that connections that were opened together do not end together.
            let age = self.configuration.ageMax * (0.9 + 0.2 * self.random.next())
            self.connections[index].retireAt = now.advanced(by: age)
        }
        switch (wasCollapsed, self.isCollapsed) {
        case (false, true): return .collapsed(from: best, to: limit)
        case (true, false): return .recovered(to: limit)
        case (false, false), (true, true): return nil
        }
    }

    /// Notes the peer's ENHANCE_YOUR_CALM, for a stream or for the connection.
    ///
    /// For a while all connections to the endpoint have half as many streams, and no further connection is opened. Call
    /// this before reporting the streams that the peer ended with it, because the limit is half of the open streams.
    public mutating func calmAsked(_ id: ConnectionID, now: MonotonicInstant) {
        guard let index = self.index(of: id) else { return }
        if let calm = self.calm, now.since(calm.askedAt) < self.configuration.calmInterval { return }
        let open = max(1, self.connections[index].openStreams)
        self.calm = Calm(
            limit: max(1, min(open, self.calm?.limit ?? open) / 2),
            askedAt: now,
            raiseAt: now.advanced(by: self.configuration.calmRaiseAfter)
        )
    }

    /// Doubles the limit of a calm pool when its time has come.
    mutating func raiseCalm(now: MonotonicInstant) {
        guard let calm = self.calm, calm.raiseAt <= now else { return }
        let limit = 2 * calm.limit
        guard limit < self.configuration.streamsMax else {
            self.calm = nil
            return
        }
        self.calm?.limit = limit
        self.calm?.raiseAt = now.advanced(by: self.configuration.calmRaiseAfter)
    }

    /// The number of streams of a connection in its whole life, by our own limit and by what the peer has shown.
    var streamsPerConnection: Int {
        let own = self.configuration.streamsPerConnectionMax
        guard let lifetime = self.lifetime, lifetime.isKnown else { return own }
        return min(own, lifetime.streams)
    }

    /// Returns how many streams to open on a connection now: the free ones, or for a moment none if few are free.
    ///
    /// A record and a system call for each answer would cost more than the requests. So a connection that just opened
    /// streams waits until a share of them is free or some milliseconds have passed; an idle connection never waits.
    public func streamsDue(on id: ConnectionID, now: MonotonicInstant) -> Int {
        guard let index = self.index(of: id) else { return 0 }
        let connection = self.connections[index]
        let free = self.freeStreams(of: connection)
        let isFew = free * self.configuration.openShare < min(self.limit(of: connection), self.window.streams)
        if isFew, let openedAt = connection.openedAt, now.since(openedAt) < self.configuration.openPause {
            return 0
        }
        return free
    }

    /// Returns true if less than a share of its streams is free.
    func hasFewFree(_ connection: Connection) -> Bool {
        self.unusedStreams(of: connection) * self.configuration.openShare < self.limit(of: connection)
    }

    /// Returns how many streams may be opened on a connection now.
    func freeStreams(of connection: Connection) -> Int {
        min(self.unusedStreams(of: connection), self.windowLeft)
    }

    /// Returns how many streams the connection has left, whatever the others have open.
    private func unusedStreams(of connection: Connection) -> Int {
        guard connection.phase == .ready else { return 0 }
        let left = self.streamsPerConnection - connection.streamsUsed
        return max(0, min(left, self.limit(of: connection) - connection.openStreams))
    }

    private func limit(of connection: Connection) -> Int {
        // A limit of 0 stands whatever else applies: the peer wants no streams.
        let limit = min(connection.peerLimit, self.calm?.limit ?? connection.peerLimit)
        let waits = self.configuration.oneStreamUntilAuthenticated && !connection.isAuthenticated
        return waits ? min(1, limit) : limit
    }

    private var isCollapsed: Bool { self.connections.contains { $0.isCollapsed } }
}
