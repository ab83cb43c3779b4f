extension ConnectionPool {
    /// Notes once per loop tick whether requests wait for a free stream.
    ///
    /// - Parameter isLoopBusy: True if the loop has hardly any time left, so that more connections would not help.
    public mutating func demandChanged(
        _ hasDemand: Bool,
        isLoopBusy: Bool,
        now: MonotonicInstant
    ) -> [Action] {
        guard !self.isShutDown else { return [] }
        self.hasDemand = hasDemand
        guard hasDemand else {
            self.saturatedSince = nil
            return self.openKept(now: now)
        }
        self.noteWait()
        let replacements = self.openReplacements(now: now)
        if self.aliveCount == 0 { return replacements + self.openIfNeeded(now: now) }
        guard self.couldGrow else {
            self.saturatedSince = nil
            return replacements
        }
        guard let since = self.saturatedSince else {
            self.saturatedSince = now
            return replacements
        }
        guard now.since(since) >= self.configuration.growAfter else { return replacements }
        self.saturatedSince = now
        return isLoopBusy ? replacements : replacements + self.open(now: now)
    }

    /// Handles the passing of time: deadlines of phases and PINGs, ages, attempts that were held back.
    public mutating func deadlineReached(now: MonotonicInstant) -> [Action] {
        self.raiseCalm(now: now)
        var actions: [Action] = []
        for connection in self.connections {
            actions += self.judge(connection, now: now)
        }
        return actions + self.openIfNeeded(now: now)
    }

    /// The instant at which ``deadlineReached(now:)`` has work to do; nil if never.
    public var nextDeadline: MonotonicInstant? {
        var next: MonotonicInstant?
        func consider(_ instant: MonotonicInstant?) {
            guard let instant else { return }
            next = next.map { min($0, instant) } ?? instant
        }
        for connection in self.connections {
            consider(connection.phaseDeadline)
            consider(connection.retireAt)
            consider(connection.pingDeadline ?? self.pingAt(connection))
            consider(self.unusedAt(connection))
        }
        if !self.hasDemand { consider(self.keptAttemptAt) }
        if self.hasDemand {
            consider(self.calm?.raiseAt)
            if self.aliveCount == 0 { consider(self.earliestAttempt) }
        }
        return next
    }

    /// The number of connections that take streams now or will.
    var aliveCount: Int { self.connections.count { $0.phase != .draining } }

    /// True if streams are scarce, and not because a peer is still being set up, asks for calm or answers slowly.
    ///
    /// Replacements are not waited for: where connections end all the time, one is always being opened.
    private var couldGrow: Bool {
        guard self.calm == nil, self.aliveCount < self.configuration.connectionsMax, self.windowLeft > 0 else {
            return false
        }
        return self.connections.allSatisfy { connection in
            switch connection.phase {
            case .connecting, .awaitingSettings: return connection.isReplacement
            case .draining: return true
            case .ready:
                let isTrusted = connection.isAuthenticated || !self.configuration.oneStreamUntilAuthenticated
                guard isTrusted else { return connection.isReplacement }
                return connection.peerLimit > 0 && self.hasFewFree(connection)
            }
        }
    }

    private func pingAt(_ connection: Connection) -> MonotonicInstant? {
        switch connection.phase {
        case .connecting, .awaitingSettings: return nil
        case .ready, .draining:
            let whenIdle = connection.heardAt.advanced(by: self.configuration.pingAfter)
            guard let busySince = connection.busySince else { return whenIdle }
            let silentSince = max(connection.heardAt, busySince)
            return min(whenIdle, silentSince.advanced(by: self.configuration.pingAfterBusy))
        }
    }

    private mutating func judge(_ connection: Connection, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: connection.id) else { return [] }
        if let deadline = connection.phaseDeadline, deadline <= now {
            self.connections.remove(at: index)
            self.countFailure(of: connection, now: now)
            return [.close(connection.id, .handshakeDeadline)]
        }
        if let deadline = connection.pingDeadline, deadline <= now {
            self.connections.remove(at: index)
            // The next connection should avoid its address.
            if let address = connection.address { self.noteTrouble(with: address, now: now) }
            return [.close(connection.id, .pingUnanswered)]
        }
        if let retireAt = connection.retireAt, retireAt <= now {
            if let actions = self.replaceBeforeLeaving(at: index, now: now) { return actions }
            if !connection.isReplaced { self.leaveInGoodOrder(at: index) }
            return self.drain(at: index)
        }
        if let unusedAt = self.unusedAt(connection), unusedAt <= now {
            // No replacement is earned: it leaves because nobody needs it.
            return self.drain(at: index)
        }
        if connection.pingDeadline == nil, let pingAt = self.pingAt(connection), pingAt <= now {
            self.connections[index].pingDeadline = now.advanced(by: self.configuration.pingDeadline)
            return [.ping(connection.id)]
        }
        return []
    }

    /// Opens replacements, or the first connection if there is none, while there is demand; otherwise those to keep.
    mutating func openIfNeeded(now: MonotonicInstant) -> [Action] {
        guard !self.isShutDown else { return [] }
        guard self.hasDemand else { return self.openKept(now: now) }
        let replacements = self.openReplacements(now: now)
        return self.aliveCount == 0 ? replacements + self.open(now: now) : replacements
    }

    /// Opens a connection for each one that served and retired in good order.
    private mutating func openReplacements(now: MonotonicInstant) -> [Action] {
        var actions: [Action] = []
        while self.replacementsDue > 0 {
            self.replacementsDue -= 1
            guard self.aliveCount < self.configuration.connectionsMax else { continue }
            actions += self.open(isReplacement: true, now: now)
        }
        return actions
    }

    mutating func open(isReplacement: Bool = false, now: MonotonicInstant) -> [Action] {
        self.countTickets(now: now)
        if let notBefore = self.notBefore, now < notBefore { return [] }
        guard self.tickets >= 1, self.connections.count < 2 * self.configuration.connectionsMax else { return [] }
        self.tickets -= 1
        let id = ConnectionID(number: self.nextNumber)
        self.nextNumber &+= 1
        var connection = Connection(id: id, configuration: self.configuration, now: now)
        connection.isReplacement = isReplacement
        self.connections.append(connection)
        return [.connect(id)]
    }

    /// Retires a connection with which nothing went wrong.
    mutating func leaveInGoodOrder(at index: Int) {
        self.connections[index].isLeavingInGoodOrder = true
        self.earnReplacement(at: index)
    }

    /// Earns a replacement without a ticket of its own for a retiring connection that has answered enough, perhaps
    /// later.
    mutating func earnReplacement(at index: Int) {
        let connection = self.connections[index]
        guard connection.isLeavingInGoodOrder, !connection.hasEarned,
            connection.answers >= self.configuration.answersPerAttempt
        else { return }
        self.connections[index].hasEarned = true
        self.tickets = min(Double(self.configuration.connectBurst), self.tickets + 1)
        self.replacementsDue = min(self.replacementsDue + 1, self.configuration.connectionsMax)
    }

    /// The instant of the next permitted attempt.
    var earliestAttempt: MonotonicInstant? {
        var earliest = self.notBefore
        if self.tickets < 1, let at = self.ticketsAt {
            // A nanosecond more than the missing fraction, so that rounding never wakes us in vain.
            let wait = self.configuration.connectInterval * (1 - self.tickets) + .nanoseconds(1)
            let ticket = at.advanced(by: wait)
            earliest = earliest.map { max($0, ticket) } ?? ticket
        }
        return earliest
    }

    private mutating func countTickets(now: MonotonicInstant) {
        defer { self.ticketsAt = now }
        guard let at = self.ticketsAt else { return }
        let gained = now.since(at) / self.configuration.connectInterval
        self.tickets = min(Double(self.configuration.connectBurst), self.tickets + gained)
    }

    /// Counts another attempt or connection without an answer.
    ///
    /// The back-off starts once every address has had its turn.
    mutating func countFailure(of connection: Connection, now: MonotonicInstant) {
        if let address = connection.address { self.noteTrouble(with: address, now: now) }
        self.failures += 1
        guard self.failures >= self.addressCount else { return }
        // 2^16 times the base is above any sensible maximum.
        let doublings = min(16, self.failures - self.addressCount)
        let full = min(self.configuration.backoffMax, self.configuration.backoffBase * (1 << doublings))
        self.notBefore = now.advanced(by: full * (0.5 + 0.5 * self.random.next()))
    }
}
