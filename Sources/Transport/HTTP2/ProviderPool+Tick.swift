import CShims
import Delivery
import HTTP2
import Logging
import NIOCore

/// The pool's work in a tick of the loop, and its timer.
extension ProviderPool {
    /// Schedules ``loopTick()`` to run after everything that is readable now has been read.
    func scheduleTick() {
        guard !self.isTickScheduled else { return }
        self.isTickScheduled = true
        self.loop.assumeIsolated().execute { self.loopTick() }
    }

    /// Schedules a tick for the time when a connection's pause may be over.
    private func scheduleLaterTick() {
        guard !self.isLaterTickScheduled else { return }
        self.isLaterTickScheduled = true
        self.loop.assumeIsolated().scheduleTask(in: TimeAmount(self.configuration.connections.openPause)) {
            self.isLaterTickScheduled = false
            self.scheduleTick()
        }
    }

    private func loopTick() {
        self.isTickScheduled = false
        guard !self.isClosed else { return }
        let now = NIODeadline.now()
        self.counters.ticks += 1
        for id in self.retirements { self.run(self.machine.retire(id, now: now.instant)) }
        self.retirements.removeAll(keepingCapacity: true)
        if self.hasDemand {
            self.source.openingBegan()
            self.openStreams(now: now)
        }
        for connection in self.connections where connection.needsFlush {
            connection.flush()
            // A request that was opened after this tick's GOAWAY has ended at once.
            if connection.http2.hasEnded { self.takeEnded(of: connection, now: now) }
        }
        self.run(self.machine.demandChanged(self.hasDemand, isLoopBusy: self.load.isBusy, now: now.instant))
        self.countDecisions()
        self.source.tickEnded()
        self.armTimer(now: now)
        self.finishIfDrained(now: now)
    }

    /// Copies the state machine's counts.
    private func countDecisions() {
        self.counters.warmStarts = self.machine.starts.warm
        self.counters.coldStarts = self.machine.starts.cold
        self.counters.windowCuts = self.machine.windowCuts
    }

    /// Fetches requests from the source while streams are free.
    private func openStreams(now: NIODeadline) {
        let count = self.connections.count
        self.firstConnection = count == 0 ? 0 : (self.firstConnection + 1) % count
        for offset in 0..<count {
            let connection = self.connections[(self.firstConnection + offset) % count]
            guard connection.isWritable else { continue }
            let due = self.machine.streamsDue(on: connection.id, now: now.instant)
            guard due > 0 else {
                if self.machine.streamsAllowed(on: connection.id) > 0 { self.scheduleLaterTick() }
                continue
            }
            let allowed = min(due, connection.http2.freeStreams)
            guard allowed > 0 else { continue }
            self.open(upTo: allowed, on: connection, now: now)
            if !self.hasDemand { return }
        }
    }

    /// The number of requests between two calls of `serialise`; measured: 32 costs 2 % less than a thousand at once.
    private static let serialiseEvery = 32

    private func open(upTo allowed: Int, on connection: ProviderConnection, now: NIODeadline) {
        let source = self.source
        let session = connection.http2
        let instant = now.instant.nanoseconds
        var opened = 0
        var tag: UInt64 = 0
        do {
            while opened < allowed {
                let isOpened = try session.submit(now: instant) { request in
                    let isFilled = source.nextRequest(&request)
                    tag = request.tag
                    return isFilled
                }
                guard isOpened else {
                    self.hasDemand = false
                    break
                }
                opened += 1
                if opened % ProviderPool.serialiseEvery == 0 { connection.serialise() }
            }
        } catch {
            self.logger.error(
                "cannot open a stream: \(SocketErrorText.words(error))",
                metadata: ["http2.connection": "\(connection.id.number)"]
            )
            self.noteOpened(opened, on: connection, now: now)
            // The request was taken from the source and must not be lost.
            self.counters.refused += 1
            source.unanswered(tag: tag, reason: .refused)
            self.run(self.machine.retire(connection.id, now: now.instant))
            return
        }
        self.noteOpened(opened, on: connection, now: now)
    }

    private func noteOpened(_ opened: Int, on connection: ProviderConnection, now: NIODeadline) {
        guard opened > 0 else { return }
        self.counters.opened += UInt64(opened)
        self.machine.streamsOpened(connection.id, count: opened, now: now.instant)
        connection.needsFlush = true
    }

    // MARK: Reports of a connection

    func connectionEstablished(_ connection: ProviderConnection) {
        self.counters.handshakes += 1
        if connection.isResumed { self.counters.resumptions += 1 }
        self.machine.connectionEstablished(connection.id, now: NIODeadline.now().instant)
        connection.needsFlush = true
        self.scheduleTick()
    }

    /// Handles a processed read: answers, SETTINGS, GOAWAY.
    func connectionRead(_ connection: ProviderConnection) {
        let now = NIODeadline.now()
        let events = connection.http2.takeEvents()
        self.machine.heard(connection.id, now: now.instant)
        if events.hasSettings, let limit = connection.http2.maxConcurrentStreams {
            let change = self.machine.settingsReceived(connection.id, maxStreams: limit, now: now.instant)
            self.logger.debug(
                "stream limit received",
                metadata: ["http2.connection": "\(connection.id.number)", "http2.streams": "\(limit)"]
            )
            if let change { self.note(change, now: now) }
        }
        self.counters.goAways += UInt64(events.goAways)
        if events.goAway?.code == HTTP2ErrorCode.enhanceYourCalm { self.askForCalm(connection, now: now) }
        if let goAway = events.goAway, goAway.code == HTTP2ErrorCode.noError {
            // A client's ids are the odd numbers (RFC 9113, 5.1.1).
            self.machine.lastStreamTold(connection.id, streams: (Int(goAway.lastStreamID) + 1) / 2)
        }
        self.takeEnded(of: connection, now: now)
        if let goAway = events.goAway { self.goAwayReceived(goAway, from: connection, now: now) }
        if events.hasInvalidFrame { self.retireConnection(connection.id) }
        if events.controlFrames > 0 {
            let count = events.controlFrames
            self.run(self.machine.controlFramesReceived(connection.id, count: count, now: now.instant))
        }
        connection.needsFlush = true
        self.scheduleTick()
    }

    /// Reports ended streams to the source.
    private func takeEnded(of connection: ProviderConnection, now: NIODeadline) {
        let answered = self.counters.answered
        var ended = 0
        connection.http2.takeEnded { end in
            ended += 1
            self.tell(end, of: connection, now: now)
        }
        self.streamsClosed(connection, count: ended, answeredBefore: answered, now: now)
    }

    private func streamsClosed(
        _ connection: ProviderConnection,
        count: Int,
        answeredBefore: UInt64,
        now: NIODeadline
    ) {
        guard count > 0 else { return }
        if self.isCalmAsked { self.askForCalm(connection, now: now) }
        let answered = Int(self.counters.answered - answeredBefore)
        if let span = self.answerSpan {
            self.answerSpan = nil
            let times = Duration.nanoseconds(span.lowerBound) ... .nanoseconds(span.upperBound)
            self.machine.answersTook(times, count: answered, now: now.instant)
        }
        self.run(self.machine.streamsClosed(connection.id, count: count, answered: answered))
    }

    private func askForCalm(_ connection: ProviderConnection, now: NIODeadline) {
        self.isCalmAsked = false
        self.counters.calmsAsked += 1
        self.machine.calmAsked(connection.id, now: now.instant)
    }

    /// Logs one line when the stream limits collapse or recover, at most once in ten seconds.
    private func note(_ change: ConnectionPool.LimitChange, now: NIODeadline) {
        if case .collapsed = change { self.counters.limitCollapses += 1 }
        if let last = self.limitsLoggedAt, now - last < .seconds(10) { return }
        self.limitsLoggedAt = now
        let metadata: Logger.Metadata = [
            "peer": "\(self.endpoint)", "http2.limit_collapses": "\(self.counters.limitCollapses)",
        ]
        switch change {
        case .collapsed(let from, let to):
            self.logger.info("the provider cut the stream limit from \(from) to \(to)", metadata: metadata)
        case .recovered(let to):
            self.logger.info("the provider allows \(to) streams again", metadata: metadata)
        }
    }

    func connectionIsWritable(_ connection: ProviderConnection) {
        connection.needsFlush = true
        self.scheduleTick()
    }

    /// Handles the end of a channel that we did not close.
    func connectionEnded(_ connection: ProviderConnection, wasEstablished: Bool, failure: (any Error)?) {
        let now = NIODeadline.now()
        self.connections.removeAll { $0 === connection }
        let lost = self.endAll(of: connection, now: now)
        let metadata: Logger.Metadata = ["http2.connection": "\(connection.id.number)", "peer": "\(self.endpoint)"]
        if wasEstablished {
            self.counters.connectionsEnded += 1
            let text = failure.map(SocketErrorText.words) ?? "closed by the peer"
            self.logger.debug("connection ended: \(text)", metadata: metadata)
            // The end of an unused connection is no failure, but one that took requests and answered none is.
            if !connection.hasAnswered && (lost > 0 || connection.http2.maxConcurrentStreams == nil) {
                self.source.connectionFailed(.connect("ended before any answer: \(text)"))
            }
            self.run(self.machine.connectionLost(connection.id, now: now.instant))
        } else {
            let text = failure.map(SocketErrorText.words) ?? "closed during the TLS handshake"
            self.connectFailed(connection.id, .connect(text))
        }
        self.scheduleTick()
    }

    private func goAwayReceived(_ goAway: GoAway, from connection: ProviderConnection, now: NIODeadline) {
        self.logger.debug(
            "GOAWAY",
            metadata: [
                "http2.connection": "\(connection.id.number)", "http2.code": "\(goAway.code)",
                "http2.last_stream": "\(goAway.lastStreamID)", "peer": "\(self.endpoint)",
                "http2.debug": "\(String(decoding: goAway.debugData, as: UTF8.self))",
            ]
        )
        let isOrderly = goAway.code == HTTP2ErrorCode.noError
        self.run(self.machine.goAwayReceived(connection.id, isOrderly: isOrderly, now: now.instant))
    }

    /// Reports the end of a request to the source.
    private func tell(_ end: borrowing StreamEnd, of connection: ProviderConnection, now: NIODeadline) {
        switch end.kind {
        case .answered:
            self.counters.answered += 1
            if !connection.isAuthenticated { self.noteFirstAnswer(end.status, of: connection) }
            let answer = ProviderAnswer(end, connection: connection.id, now: now.instant.nanoseconds)
            self.answerTimes.add(nanoseconds: answer.nanoseconds)
            self.note(answer.nanoseconds)
            self.source.answered(tag: end.tag, answer: answer)
        case .refused:
            self.counters.refused += 1
            if !connection.hasAnswered { self.noteRefusal(by: connection) }
            self.source.unanswered(tag: end.tag, reason: .refused)
        case .reset(let code):
            if code == HTTP2ErrorCode.enhanceYourCalm { self.isCalmAsked = true }
            self.tellUnknown(end.tag, .reset(code: code))
        case .deadline:
            self.counters.deadlines += 1
            self.tellUnknown(end.tag, .deadline)
        case .connectionLost: self.tellUnknown(end.tag, .connectionLost)
        }
    }

    private func note(_ nanoseconds: Int64) {
        guard let span = self.answerSpan else {
            self.answerSpan = nanoseconds...nanoseconds
            return
        }
        self.answerSpan = min(span.lowerBound, nanoseconds)...max(span.upperBound, nanoseconds)
    }

    private func tellUnknown(_ tag: UInt64, _ reason: Unanswered.UnknownReason) {
        self.counters.unknown += 1
        self.source.unanswered(tag: tag, reason: .unknown(reason))
    }

    /// Called until the connection is known to be authenticated.
    private func noteFirstAnswer(_ status: UInt16, of connection: ProviderConnection) {
        // Tickets follow the handshake, so they have come by now. Only once, because a storm of refusals also passes
        // here.
        if !connection.hasAnswered { self.resumption = connection.resumption ?? self.resumption }
        connection.hasAnswered = true
        // 400, 410 and 413 concern the device or the payload, so the provider has accepted the token before.
        guard (200..<300).contains(status) || status == 400 || status == 410 || status == 413 else { return }
        connection.isAuthenticated = true
        self.machine.authenticated(connection.id)
    }

    /// Replaces a connection that refuses its first stream, after a backoff, and reports it to the breaker.
    private func noteRefusal(by connection: ProviderConnection) {
        guard !connection.hasRefusedFirst, connection.isEstablished else { return }
        connection.hasRefusedFirst = true
        self.counters.firstStreamRefusals += 1
        self.source.connectionFailed(.firstStreamRefused)
        self.retireConnection(connection.id)
    }

    /// Ends all requests of a connection that is gone; returns their number.
    @discardableResult
    func endAll(of connection: ProviderConnection, now: NIODeadline) -> Int {
        let answered = self.counters.answered
        var ended = 0
        connection.http2.endAll { end in
            ended += 1
            self.tell(end, of: connection, now: now)
        }
        self.streamsClosed(connection, count: ended, answeredBefore: answered, now: now)
        return ended
    }

    // MARK: The clock

    /// Arms the only timer: short while requests are in flight, otherwise for the state machine's next deadline.
    private func armTimer(now: NIODeadline) {
        var next = self.machine.nextDeadline.map { NIODeadline($0) }
        if self.hasDemand || self.drainUntil != nil || self.machine.snapshot.openStreams > 0 {
            let tick = now + self.tickInterval
            next = next.map { min($0, tick) } ?? tick
        }
        guard let next else { return }
        // At most once every 5 ms, whatever the state machine asks for.
        let at = max(next, now + .milliseconds(5))
        if let timerAt = self.timerAt {
            guard at < timerAt else { return }
            self.timer?.cancel()
        }
        self.arm(at: at)
    }

    private func arm(at: NIODeadline) {
        self.timerAt = at
        self.timer = self.loop.assumeIsolated().scheduleTask(deadline: at) { self.tick() }
    }

    /// The timer's interval: a twentieth of the stream deadline, between 10 and 100 ms.
    private var tickInterval: TimeAmount {
        let share = TimeAmount(self.configuration.connections.streamDeadline / 20)
        return max(.milliseconds(10), min(.milliseconds(100), share))
    }

    private func tick() {
        let now = NIODeadline.now()
        let due = self.timerAt ?? now
        self.timer = nil
        self.timerAt = nil
        guard !self.isClosed else { return }
        self.load.sample(wall: now.instant.nanoseconds, cpu: fanfare_thread_cpu_nanoseconds())
        if let later = self.fairness.postponed(due: due.instant, now: now.instant) {
            return self.arm(at: NIODeadline(later))
        }
        self.expireStreams(now: now)
        self.run(self.machine.deadlineReached(now: now.instant))
        self.scheduleTick()
    }

    private func expireStreams(now: NIODeadline) {
        let limit = now - TimeAmount(self.configuration.connections.streamDeadline)
        // The last of these ends makes the machine drop the connection, which the peer sees instead of a reset.
        let resetsMax = self.configuration.connections.deadlinesMax - 1
        for connection in self.connections {
            self.takeEnded(of: connection, now: now)
            let answered = self.counters.answered
            var ended = 0
            let expired = connection.http2.expire(
                submittedBefore: limit.instant.nanoseconds,
                resetsMax: resetsMax
            ) { end in
                ended += 1
                self.tell(end, of: connection, now: now)
            }
            guard ended > 0 else { continue }
            connection.needsFlush = true
            self.streamsClosed(connection, count: ended, answeredBefore: answered, now: now)
            self.run(
                self.machine.streamDeadlinesPassed(connection.id, count: expired, now: now.instant)
            )
        }
    }

    // MARK: The end

    private func finishIfDrained(now: NIODeadline) {
        guard let drainUntil = self.drainUntil, !self.isClosed else { return }
        guard self.connections.isEmpty || now >= drainUntil else { return }
        self.isClosed = true
        self.timer?.cancel()
        let rest = self.connections
        self.connections = []
        for connection in rest {
            self.endAll(of: connection, now: now)
            connection.close()
        }
        self.source.tickEnded()
        let completion = self.completion
        self.completion = nil
        completion?()
    }
}

extension NIODeadline {
    /// The same instant for the pure tier.
    var instant: MonotonicInstant { MonotonicInstant(nanoseconds: Int64(clamping: self.uptimeNanoseconds)) }

    init(_ instant: MonotonicInstant) {
        self = .uptimeNanoseconds(UInt64(clamping: instant.nanoseconds))
    }
}
