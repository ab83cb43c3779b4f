import HTTP2
import Logging
import NIOCore
import Synchronization
import TLS

/// One connection of a client: TLS, HTTP/2, and the answers that the rules and the faults decide.
///
/// Confined to its event loop.
final class SimulatorConnection: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    let core: LoopCore
    let tls: TLSSession
    let logger: Logger
    var http: HTTP2ServerSession?
    var context: ChannelHandlerContext?
    /// The provider's state of the connection; nil until TLS is established.
    private var provider: (any PeerConnection)?
    /// The current request; its buffer is reused.
    private var request: ProviderRequest
    private var delayed = DelayedReactions()
    private var delayTimer: Scheduled<Void>?
    private var delayTimerDue = NIODeadline.distantFuture
    private var limit = StreamLimitCycle()
    /// The stream limit that the client was last told.
    private var announcedLimit = 1
    private var limitTimer: Scheduled<Void>?
    /// The number of streams whose request was processed on this connection.
    private var streamsProcessed = 0
    /// The highest processed stream.
    private var highestStreamID: Int32 = 0
    /// The last stream that our GOAWAY allowed; nil before one.
    private var goAwayStreamID: Int32?
    /// True while HTTP/2 has begun but our SETTINGS are held back.
    private(set) var isHeldBack = false
    /// True once a GOAWAY in two steps has begun.
    private var isLeaving = false
    var isCut = false
    /// True if nothing is read or sent any more while the socket stays open: a black hole.
    private(set) var isSilent = false

    init(core: LoopCore, tls: TLSSession, logger: Logger) {
        self.core = core
        self.tls = tls
        self.logger = logger
        request = ProviderRequest(bodyBytesKept: core.state.side.bodyBytesKept)
    }

    func channelActive(context: ChannelHandlerContext) {
        self.context = context
        core.connections[ObjectIdentifier(self)] = self
        core.totals.value.withLock {
            $0.connectionsOpened += 1
            $0.connectionsOpen += 1
        }
        context.fireChannelActive()
    }

    func channelInactive(context: ChannelHandlerContext) {
        core.connections[ObjectIdentifier(self)] = nil
        core.totals.value.withLock {
            $0.connectionsOpen -= 1
            if http == nil { $0.handshakesFailed += 1 }
        }
        delayTimer?.cancel()
        limitTimer?.cancel()
        isCut = true
        self.context = nil
        context.fireChannelInactive()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        if http == nil && core.draw.faults.isMute { isSilent = true }
        guard !isCut && !isSilent else { return }
        let buffer = unwrapInboundIn(data)
        do {
            try receive(buffer)
        } catch {
            logger.debug("A connection ended", metadata: ["error": "\(error)"])
            flush()
            cut()
        }
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        core.refreshFaults()
        perform { connection throws(HTTP2Error) in try connection.takeRequests() }
        context.fireChannelReadComplete()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        logger.debug("A connection ended", metadata: ["error": "\(error)"])
        cut()
    }

    /// Closes the socket without GOAWAY.
    func cut() {
        guard !isCut else { return }
        isCut = true
        context?.close(promise: nil)
    }

    /// Sends GOAWAY for all streams above the processed ones.
    func goAway(reason: String) {
        perform { connection throws(HTTP2Error) in try connection.sendGoAway(reason: reason) }
    }

    /// Announces the current stream limit to the client.
    func faultsChanged() {
        guard provider?.isAuthenticated == true else { return }
        perform { connection throws(HTTP2Error) in try connection.announceLimit(restart: true) }
    }
}

extension SimulatorConnection {
    private func receive(_ buffer: ByteBuffer) throws {
        var failure: HTTP2Error?
        var isFirst = true
        try buffer.withUnsafeReadableBytes { bytes throws in
            try tls.receive(bytes) { plaintext in
                do throws(HTTP2Error) {
                    if isFirst { try established() }
                    isFirst = false
                    try http?.receive(plaintext)
                } catch { failure = failure ?? error }
            }
        }
        if let failure { throw failure }
        // The client may wait for our SETTINGS before it sends anything.
        if tls.state == .established { try established() }
        noteStreams()
        if tls.state == .closed {
            flush()
            cut()
        }
    }

    /// Begins HTTP/2 once the handshake is complete.
    private func established() throws(HTTP2Error) {
        guard http == nil else { return }
        let side = core.state.side
        let provider = side.connectionOpened(hasClientCertificate: tls.hasPeerCertificate)
        self.provider = provider
        var settings = HTTP2ServerSession.Configuration()
        let isSingle = side.startsWithOneStream && !provider.isAuthenticated
        announcedLimit = isSingle ? 1 : limit.current(core.draw.faults)
        settings.maxConcurrentStreams = UInt32(announcedLimit)
        settings.bodyBytesMax = side.bodyBytesKept
        // With stalls, a client rightly resets many streams.
        settings.resetBurst = 100_000
        settings.resetsPerSecond = 10_000
        http = try HTTP2ServerSession(configuration: settings)
        let delay = core.draw.faults.settingsDelayMilliseconds
        guard delay > 0, let context else { return }
        isHeldBack = true
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(Int64(delay))) {
            self.isHeldBack = false
            self.flush()
        }
    }

    private func noteStreams() {
        guard let open = http?.openStreams else { return }
        let isAuthenticated = provider?.isAuthenticated == true
        core.totals.value.withLock { totals in
            totals.streamsMost = max(totals.streamsMost, open)
            if !isAuthenticated { totals.streamsMostUnauthenticated = max(totals.streamsMostUnauthenticated, open) }
        }
    }

    /// Runs a body that makes frames, then sends them.
    private func perform(_ body: (SimulatorConnection) throws(HTTP2Error) -> Void) {
        guard !isCut, http != nil else { return flush() }
        do throws(HTTP2Error) {
            try body(self)
            flush()
        } catch {
            logger.debug("A connection ended", metadata: ["error": "\(error)"])
            flush()
            cut()
        }
    }

    // MARK: Requests

    private func takeRequests() throws(HTTP2Error) {
        guard let http else { return }
        var failure: HTTP2Error?
        let now = core.now()
        http.takeRequests { incoming in
            guard failure == nil, !isCut, !isSilent else { return }
            do throws(HTTP2Error) { try take(incoming, now: now) } catch { failure = error }
        }
        if let failure { throw failure }
    }

    private func take(_ incoming: borrowing IncomingRequest, now: Int64) throws(HTTP2Error) {
        let streamID = incoming.streamID
        if let last = goAwayStreamID, streamID > last {
            core.totals.value.withLock { $0.refused += 1 }
            return
        }
        request.reset()
        incoming.forEachField { request.add(name: $0, value: $1) }
        incoming.withBody { request.add(body: $0) }
        if incoming.isTruncated { request.truncated() }
        guard let provider else { return }
        let wasAuthenticated = provider.isAuthenticated
        let judgement = core.judge(&request, at: provider, now: now)
        if !wasAuthenticated && provider.isAuthenticated { try announceLimit(restart: true) }
        if judgement.reaction == .refuse {
            try http?.reset(streamID: streamID, code: HTTP2ErrorCode.refusedStream)
        } else {
            highestStreamID = max(highestStreamID, streamID)
            if judgement.latencyMilliseconds > 0 {
                let due = NIODeadline.now() + .milliseconds(Int64(judgement.latencyMilliseconds))
                delayed.add(judgement.reaction, streamID: streamID, due: due)
                scheduleDelayed()
            } else {
                try react(judgement.reaction, streamID: streamID)
            }
        }
        try streamProcessed()
    }

    func react(_ reaction: Reaction, streamID: Int32) throws(HTTP2Error) {
        switch reaction {
        case .stall: break
        case .refuse: try http?.reset(streamID: streamID, code: HTTP2ErrorCode.refusedStream)
        case .reset: try http?.reset(streamID: streamID, code: HTTP2ErrorCode.internalError)
        case .answer(let answer):
            var fields = answer.fields
            fields.append(core.dateField())
            if let seconds = answer.retryAfter { fields.append(HeaderField("retry-after", seconds)) }
            if let type = answer.contentType { fields.append(HeaderField("content-type", type)) }
            guard !answer.isEndless else {
                try http?.respondWithoutEnd(streamID: streamID, status: answer.status, fields: fields)
                return
            }
            try http?.respond(streamID: streamID, status: answer.status, fields: fields, body: answer.body)
        }
    }

    /// Applies the faults that occur after every so many streams.
    private func streamProcessed() throws(HTTP2Error) {
        streamsProcessed += 1
        let faults = core.draw.faults
        if faults.dropEvery > 0, streamsProcessed >= faults.dropEvery { return cut() }
        if faults.silentAfter > 0, streamsProcessed >= faults.silentAfter { isSilent = true }
        if faults.goAwayEvery > 0, streamsProcessed >= faults.goAwayEvery { try leave(faults) }
        if limit.streamProcessed(faults) { try announceLimit(restart: false) }
    }

    private func leave(_ faults: Faults) throws(HTTP2Error) {
        guard faults.isGoAwayGraceful else { return try sendGoAway(reason: faults.goAwayReason) }
        guard !isLeaving, let context else { return }
        isLeaving = true
        try http?.announceShutdown()
        context.eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(100)) {
            self.goAway(reason: faults.goAwayReason)
        }
    }

    private func sendGoAway(reason: String) throws(HTTP2Error) {
        guard goAwayStreamID == nil else { return }
        goAwayStreamID = highestStreamID
        let debugData = reason.isEmpty ? "" : "{\"reason\":\(JSONNode.quoted(reason))}"
        try http?.goAway(lastStreamID: highestStreamID, debugData: Array(debugData.utf8))
        core.totals.value.withLock { $0.goAways += 1 }
    }

    // MARK: Time

    private func scheduleDelayed() {
        guard let context, let earliest = delayed.earliest, earliest < delayTimerDue else { return }
        delayTimer?.cancel()
        delayTimerDue = earliest
        delayTimer = context.eventLoop.assumeIsolated().scheduleTask(deadline: earliest) { self.delayIsOver() }
    }

    private func delayIsOver() {
        delayTimerDue = .distantFuture
        perform { connection throws(HTTP2Error) in
            let now = NIODeadline.now()
            while let due = connection.delayed.takeDue(now) {
                try connection.react(due.reaction, streamID: due.streamID)
            }
        }
        scheduleDelayed()
    }

    /// Announces the allowed number of streams, and schedules the next limit of a cycle.
    private func announceLimit(restart: Bool) throws(HTTP2Error) {
        let faults = core.draw.faults
        if restart { limit = StreamLimitCycle() }
        let streams = limit.current(faults)
        if streams != announcedLimit { try http?.changeMaxConcurrentStreams(UInt32(streams)) }
        announcedLimit = streams
        limitTimer?.cancel()
        guard !faults.streamLimits.isEmpty, let context else { return }
        let time = TimeAmount.milliseconds(Int64(faults.streamLimitMilliseconds))
        limitTimer = context.eventLoop.assumeIsolated().scheduleTask(in: time) { self.limitTimeIsOver() }
    }

    private func limitTimeIsOver() {
        limit.advance()
        perform { connection throws(HTTP2Error) in try connection.announceLimit(restart: false) }
    }
}
