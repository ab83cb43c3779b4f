/// The connections to one endpoint, and the streams that each may carry: facts in, actions out.
///
/// There is one pool per (app, endpoint, event loop). It knows no socket, no clock and no source of randomness: the
/// driver passes the time, and jitter comes from the seed. Facts about a connection that the pool has forgotten are
/// ignored, because facts and actions cross each other.
///
/// * A connection takes no stream before the peer's SETTINGS, then as many as they allow at that moment (0: wait);
///   with `oneStreamUntilAuthenticated`, one until ``authenticated(_:)``.
/// * Connections are opened on demand: the first at once, another when all streams were taken for `growAfter` and
///   the loop has time left. They are spread over all addresses that the name has at that moment. Attempts are
///   rationed (`connectBurst`, then one per `connectInterval`) and held back after failures (back-off with jitter,
///   once every address was tried).
/// * A connection that served and retires in good order is replaced at once while there is demand, whatever others
///   there are: a peer that often sends GOAWAY must not bring the pool down to one connection.
/// * A connection that ends or retires without one answer counts as a failure: a peer that sends GOAWAY to
///   everything must not be hammered. One that was kept for a while and never asked anything is none.
/// * A connection that is silent while streams are open, or for long, gets a PING, and is closed if it does not
///   answer. It is replaced when it is old or has no stream ids left.
/// * As many connections as ``keep(_:now:)`` says stay open while there is nothing to send.
/// * A peer that asks for calm gets half the streams, then gradually more again.
/// * A peer whose answers take a large share of the stream deadline gets fewer streams (``CongestionWindow``).
public struct ConnectionPool: Sendable {
    /// The rules; fixed for the pool's life.
    public let configuration: Configuration
    var connections: [Connection] = []
    var random: PoolRandom
    /// The number of addresses that the last look-up gave; at least 1.
    var addressCount = 1
    /// The start of the choice among equally good addresses, so that not all pools begin with the same one.
    let addressOffset: Int
    /// The addresses that failed, for as long as that counts.
    var troubles: [Address: Trouble] = [:]
    /// The number of streams after which the peer ends connections, if it seems to have a rule for it.
    var lifetime: Lifetime?
    /// The number of connections that served and retired in good order, and whose replacements are not opened yet.
    var replacementsDue = 0
    var calm: Calm?
    /// The number of streams that all connections together may have open.
    var window: CongestionWindow
    var nextNumber: UInt32 = 1
    /// The number of consecutive attempts or connections without a single answer.
    var failures = 0
    /// The earliest instant of the next attempt (back-off).
    var notBefore: MonotonicInstant?
    /// The number of attempts that may be made at once, as of `ticketsAt`.
    var tickets: Double
    var ticketsAt: MonotonicInstant?
    var hasDemand = false
    var saturatedSince: MonotonicInstant?
    var isShutDown = false
    /// The connections to keep while there is nothing to send.
    var keeping = Keeping()
    /// The starts after a silence so far.
    public internal(set) var starts = Starts()

    /// Makes an empty pool; `seed` decides all jitter.
    public init(configuration: Configuration, seed: UInt64) {
        precondition(configuration.streamsMax > 0 && configuration.connectionsMax > 0, "an empty pool")
        self.configuration = configuration
        self.random = PoolRandom(seed: seed)
        self.addressOffset = Int(self.random.next() * 65_536)
        self.tickets = Double(configuration.connectBurst)
        self.window = CongestionWindow(
            streams: configuration.windowInitial,
            deadline: configuration.streamDeadline
        )
    }

    // MARK: Questions

    /// Returns how many streams may be opened on a connection now.
    public func streamsAllowed(on id: ConnectionID) -> Int {
        guard let index = self.index(of: id) else { return 0 }
        return self.freeStreams(of: self.connections[index])
    }

    /// The number of times that slow or missing answers made the window of congestion smaller.
    public var windowCuts: UInt64 { self.window.cuts }

    /// Returns true if the pool still has a connection.
    public func knows(_ id: ConnectionID) -> Bool { self.index(of: id) != nil }

    func index(of id: ConnectionID) -> Int? { self.connections.firstIndex { $0.id == id } }

    // MARK: Facts about a connection's life

    /// Notes that TCP and TLS are done; SETTINGS are still to come.
    public mutating func connectionEstablished(_ id: ConnectionID, now: MonotonicInstant) {
        guard let index = self.index(of: id), self.connections[index].phase == .connecting else { return }
        self.connections[index].phase = .awaitingSettings
        self.connections[index].phaseDeadline = now.advanced(by: self.configuration.settingsDeadline)
        self.connections[index].heardAt = now
    }

    /// Notes that the attempt failed: TCP, TLS or the peer's certificate.
    public mutating func connectFailed(_ id: ConnectionID, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: id) else { return [] }
        let connection = self.connections.remove(at: index)
        self.countFailure(of: connection, now: now)
        return self.openIfNeeded(now: now)
    }

    /// Notes that the attempt failed because the name has no address now; another attempt at once would find none
    /// either.
    public mutating func resolutionFailed(_ id: ConnectionID, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: id) else { return [] }
        let connection = self.connections.remove(at: index)
        self.addressCount = 1
        self.countFailure(of: connection, now: now)
        return self.openIfNeeded(now: now)
    }

    /// Notes that the connection ended, whoever closed it.
    public mutating func connectionLost(_ id: ConnectionID, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: id) else { return [] }
        let connection = self.connections.remove(at: index)
        if connection.phase != .draining, self.hasFailed(connection, now: now) {
            self.countFailure(of: connection, now: now)
        }
        return self.openIfNeeded(now: now)
    }

    /// Notes the peer's GOAWAY: no new stream on this connection.
    ///
    /// Streams above its last id end as refused; the others continue. The peer may send it twice: first to say that it
    /// will leave, then to name the last stream.
    ///
    /// - Parameter isOrderly: True without an error code.
    public mutating func goAwayReceived(_ id: ConnectionID, isOrderly: Bool, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: id) else { return [] }
        let connection = self.connections[index]
        if connection.phase != .draining {
            if self.hasFailed(connection, now: now) || !isOrderly { self.countFailure(of: connection, now: now) }
            if isOrderly { self.leaveInGoodOrder(at: index) }
        }
        return self.drain(at: index) + self.openIfNeeded(now: now)
    }

    /// Notes that a GOAWAY without an error code names the last stream, the `streams`th one.
    ///
    /// Call this before reporting the streams that ended in the same read, and ``goAwayReceived(_:isOrderly:now:)``
    /// after them. If two consecutive connections end after the same number of streams, no more are opened on the next
    /// ones, because further streams would have to be sent again. (nginx: `keepalive_requests`.)
    public mutating func lastStreamTold(_ id: ConnectionID, streams: Int) {
        guard let index = self.index(of: id), streams <= self.connections[index].streamsUsed, streams > 0 else {
            return
        }
        self.connections[index].isLifetimeConfirmed = true
        self.lifetime = Lifetime(streams: streams, isKnown: self.lifetime?.streams == streams)
    }

    /// Takes a connection out of service.
    ///
    /// Its credential is wedged, its first stream was refused, or its answers are malformed.
    public mutating func retire(_ id: ConnectionID, now: MonotonicInstant) -> [Action] {
        guard let index = self.index(of: id), self.connections[index].phase != .draining else { return [] }
        if !self.connections[index].hasAnswered { self.countFailure(of: self.connections[index], now: now) }
        return self.drain(at: index) + self.openIfNeeded(now: now)
    }

    /// Opens no new connection and no new stream from now on; connections close as they drain.
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

    /// Notes that bytes of the peer came.
    public mutating func heard(_ id: ConnectionID, now: MonotonicInstant) {
        guard let index = self.index(of: id) else { return }
        self.connections[index].heardAt = now
        // Any frame proves life as well as the acknowledgement does.
        self.connections[index].pingDeadline = nil
    }

    /// Notes that this many streams were opened.
    ///
    /// The connection drains once its stream ids are used up.
    public mutating func streamsOpened(_ id: ConnectionID, count: Int, now: MonotonicInstant) {
        guard count > 0, let index = self.index(of: id) else { return }
        self.noteUse(now: now)
        if self.connections[index].openStreams == 0 { self.connections[index].busySince = now }
        self.connections[index].openStreams += count
        self.connections[index].streamsUsed += count
        self.connections[index].openedAt = now
        self.connections[index].usedAt = now
        guard self.connections[index].streamsUsed >= self.streamsPerConnection,
            self.connections[index].phase == .ready
        else { return }
        self.leaveInGoodOrder(at: index)
        self.connections[index].phase = .draining
        self.connections[index].retireAt = nil
    }

    /// Notes that this many streams ended, in whatever way; `answered` of them got an answer of any status.
    public mutating func streamsClosed(_ id: ConnectionID, count: Int, answered: Int = 0) -> [Action] {
        guard let index = self.index(of: id) else { return [] }
        self.connections[index].openStreams -= count
        precondition(self.connections[index].openStreams >= 0, "more streams ended than were opened")
        if self.connections[index].openStreams == 0 { self.connections[index].busySince = nil }
        if answered > 0 { self.noteAnswers(answered, at: index) }
        self.earnReplacement(at: index)
        guard self.connections[index].phase == .draining else { return [] }
        return self.drain(at: index)
    }

    /// Notes the times from request to answer of this many streams, the shortest and the longest.
    ///
    /// Call this before reporting the streams as closed.
    public mutating func answersTook(_ times: ClosedRange<Duration>, count: Int, now: MonotonicInstant) {
        self.window.answered(count, open: self.openStreams, times: times, now: now)
    }

    private mutating func noteAnswers(_ count: Int, at index: Int) {
        if !self.connections[index].hasAnswered {
            self.failures = 0
            self.notBefore = nil
            if let address = self.connections[index].address { self.troubles[address] = nil }
        }
        self.connections[index].answers += count
    }

    /// Notes that the peer accepted this connection's credential, as an answer showed.
    public mutating func authenticated(_ id: ConnectionID) {
        guard let index = self.index(of: id) else { return }
        self.connections[index].isAuthenticated = true
    }

    /// Notes that this many streams had no answer in time (they are reported as closed, too).
    ///
    /// The third one within a minute ends the connection; so does the first one if the connection never answered. All
    /// connections together get fewer streams.
    public mutating func streamDeadlinesPassed(
        _ id: ConnectionID,
        count: Int,
        now: MonotonicInstant
    ) -> [Action] {
        guard count > 0, let index = self.index(of: id) else { return [] }
        self.window.missed(open: self.openStreams + count, now: now)
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
        if !connection.hasAnswered { self.countFailure(of: connection, now: now) }
        return [.close(id, .streamDeadlines)] + self.openIfNeeded(now: now)
    }

    /// Notes that the peer sent this many frames that ask for an acknowledgement or nothing (SETTINGS, PING).
    ///
    /// A connection that never stops doing so is closed: each frame costs us work, and none helps a device.
    public mutating func controlFramesReceived(_ id: ConnectionID, count: Int, now: MonotonicInstant) -> [Action] {
        guard count > 0, let index = self.index(of: id) else { return [] }
        let gained =
            now.since(self.connections[index].controlFramesAt) / .seconds(1)
            * Double(self.configuration.controlFramesPerSecond)
        let left = min(
            Double(self.configuration.controlFrameBurst),
            self.connections[index].controlFramesLeft + gained
        )
        self.connections[index].controlFramesAt = now
        self.connections[index].controlFramesLeft = left - Double(count)
        guard self.connections[index].controlFramesLeft < 0 else { return [] }
        let connection = self.connections.remove(at: index)
        self.countFailure(of: connection, now: now)
        return [.close(id, .flooded)] + self.openIfNeeded(now: now)
    }

    /// Lets a connection finish its streams; closes it at once if it has none.
    mutating func drain(at index: Int) -> [Action] {
        self.connections[index].phase = .draining
        self.connections[index].phaseDeadline = nil
        self.connections[index].retireAt = nil
        guard self.connections[index].openStreams == 0 else { return [] }
        let connection = self.connections.remove(at: index)
        // It used as many streams as the peer allowed others, and the peer did not end it.
        if connection.streamsUsed == self.lifetime?.streams, !connection.isLifetimeConfirmed { self.lifetime = nil }
        return [.close(connection.id, .drained)]
    }
}
