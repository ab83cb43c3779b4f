import CNGHTTP2
import CShims

/// The client's side of one HTTP/2 connection, without a socket.
///
/// ```swift
/// let session = try HTTP2ClientSession()
/// // per read:       try session.receive(plaintext)
/// //                 let events = session.takeEvents()          // SETTINGS, GOAWAY, PING
/// //                 session.takeEnded { end in … }             // answers and failures
/// // once per turn:  try session.submit(now: now) { request in … }  while streams are free
/// //                 while case let n = try session.send(into: buffer, threshold: 15_000), n > 0 { encrypt n bytes }
/// ```
/// Callbacks of nghttp2 only record; nothing is told inside ``receive(_:)``. The session does not limit streams by
/// itself: whoever drives it keeps ``inFlight`` below ``streamsMax``. Confined to one thread (an event loop).
public final class HTTP2ClientSession {
    /// Sizes and limits.
    public struct Configuration: Sendable {
        /// Slots: never more streams than that at once, whatever the peer allows.
        ///
        /// 1 to 65,536.
        public var streamsMax = 1000
        /// What is kept of an answer's body.
        public var bodyBytesMax = 4096
        /// Header bytes of one answer above which the connection counts as attacked.
        public var headerBytesMax = 65_536
        /// How much the peer may send on the connection without a WINDOW_UPDATE.
        public var connectionWindowBytes: Int32 = 1 << 24

        /// The defaults.
        public init() {}
    }

    /// What happened on the connection since the last call of ``takeEvents()``.
    public struct Events: Sendable {
        /// SETTINGS came (the first or a later one): ask ``maxConcurrentStreams`` again.
        public var hasSettings = false
        /// The last GOAWAY that came.
        public var goAway: GoAway?
        /// A PING of ours was answered.
        public var isPingAcknowledged = false
    }

    // Safety: owned by the session, freed after nghttp2, which holds its address.
    let state: UnsafeMutablePointer<ClientState>

    /// Nil only while init runs: nghttp2 wants the address of its owner.
    private var handle: SessionHandle?
    private var isFirstRequest = true
    /// The name/value pairs of the current request; `scratchHeaders` says of which block they are.
    private var scratch: UnsafeMutablePointer<nghttp2_nv>
    private var scratchCapacity = 32
    private var scratchCount = 0
    /// Where the per-request field goes, or -1.
    private var scratchPerRequest = -1
    private var scratchHeaders: Unmanaged<PreparedHeaders>?

    /// Makes a session; the client's preface and SETTINGS are ready to be sent.
    public init(configuration: Configuration = Configuration()) throws(HTTP2Error) {
        self.state = .allocate(capacity: 1)
        self.state.initialize(to: ClientState(configuration: configuration))
        self.scratch = .allocate(capacity: self.scratchCapacity)
        let handle = try SessionHandle.make(
            isServer: false,
            owner: UnsafeMutableRawPointer(self.state),
            limits: SessionLimits(),
            callbacks: ClientState.install
        )
        try handle.begin(
            settings: [
                (NGHTTP2_SETTINGS_ENABLE_PUSH, 0),
                (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(clamping: configuration.headerBytesMax)),
            ],
            connectionWindowBytes: configuration.connectionWindowBytes
        )
        self.handle = consume handle
    }

    deinit {
        // First of all: nghttp2 must be gone before the memory that it points to.
        self.handle = nil
        self.scratch.deallocate()
        self.scratchHeaders?.release()
        self.state.deinitialize(count: 1)
        self.state.deallocate()
    }

    private var session: OpaquePointer {
        guard let pointer = self.handle?.pointer else { preconditionFailure("a session without nghttp2") }
        return pointer
    }

    // MARK: Bytes

    /// Takes plaintext from the peer.
    ///
    /// After a throw the connection is over: close it and call ``endAll(_:)``.
    public func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try self.handle?.receive(bytes)
    }

    /// Fills `buffer` with frames until `threshold` bytes are reached or none is left; returns the bytes filled.
    ///
    /// Frames are not cut: `buffer` needs ``frameBytesMax`` bytes above `threshold`.
    public func send(into buffer: UnsafeMutableRawBufferPointer, threshold: Int) throws(HTTP2Error) -> Int {
        guard let count = try self.handle?.send(into: buffer, threshold: threshold) else { return 0 }
        return count
    }

    /// The room above the threshold that ``send(into:threshold:)`` needs.
    public static var frameBytesMax: Int { SessionHandle.frameBytesMax }

    /// Whether there is anything to send.
    public var wantsWrite: Bool { self.handle?.wantsWrite ?? false }

    /// Both sides have said all: close the socket.
    public var isFinished: Bool { self.handle?.isFinished ?? true }

    // MARK: Connection

    /// Streams whose end has not been told.
    public var inFlight: Int { self.state.pointee.table.liveCount }

    /// Slots that no stream occupies.
    public var freeSlots: Int { self.state.pointee.table.capacity - self.state.pointee.table.usedCount }

    /// How many streams the peer allows at once; nil before its first SETTINGS.
    ///
    /// 0 means: wait.
    public var maxConcurrentStreams: Int? {
        guard self.state.pointee.hasSettings else { return nil }
        let limit = nghttp2_session_get_remote_settings(self.session, NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS)
        return Int(limit)
    }

    /// What happened on the connection since the last call.
    public func takeEvents() -> Events {
        let events = self.state.pointee.events
        self.state.pointee.events = Events()
        return events
    }

    /// Sends a PING.
    public func ping() throws(HTTP2Error) { try self.handle?.ping() }

    /// Says GOAWAY to the peer, so that it knows that we leave.
    public func goAway(code: UInt32 = HTTP2ErrorCode.noError) throws(HTTP2Error) {
        try self.handle?.goAway(lastStreamID: 0, code: code, debugData: [])
    }

    // MARK: Requests

    /// Opens a stream with the request that `fill` writes; false (and nothing happened) when `fill` has none.
    ///
    /// - Parameter now: the caller's clock, for ``expire(submittedBefore:_:)``; must not run backwards.
    /// - Precondition: a slot is free and `fill` sets `headers` when it returns true.
    public func submit(now: Int64, _ fill: (inout RequestWriter) -> Bool) throws(HTTP2Error) -> Bool {
        guard let index = self.state.pointee.table.take() else { preconditionFailure("submit without a free slot") }
        let slot = self.state.pointee.table.slots + Int(index)
        var writer = RequestWriter(slot: slot, index: index)
        guard fill(&writer) else {
            self.state.pointee.table.giveBack(index)
            return false
        }
        precondition(writer.hasHeaders, "a request without headers")
        slot.pointee.tag = writer.tag
        slot.pointee.submittedAt = now
        self.prepareScratch(for: slot)
        let streamID = self.open(slot)
        guard streamID > 0 else {
            self.state.pointee.table.giveBack(index)
            throw HTTP2Error.from(Int(streamID), doing: "opening a stream")
        }
        slot.pointee.streamID = streamID
        self.isFirstRequest = false
        self.state.pointee.table.enlist(index)
        return true
    }

    /// Hands out every stream that has ended since the last call, and frees it.
    ///
    /// `body` must not call the session.
    public func takeEnded(_ body: (borrowing StreamEnd) -> Void) {
        while let index = self.state.pointee.table.nextClosed() {
            let slot = self.state.pointee.table.slots + Int(index)
            if !slot.pointee.isAbandoned {
                self.state.pointee.table.delist(index)
                let code = slot.pointee.closeCode
                if code != HTTP2ErrorCode.noError { slot.pointee.isTruncated = true }
                body(StreamEnd(slot, otherwise: code == HTTP2ErrorCode.refusedStream ? .refused : .reset(code: code)))
            }
            self.state.pointee.table.giveBack(index)
        }
    }

    /// Ends the streams that were submitted before `instant`, oldest first: each is reset (CANCEL) and handed out.
    ///
    /// Call ``takeEnded(_:)`` before, so that answers that came are not lost. Returns how many were ended.
    public func expire(
        submittedBefore instant: Int64,
        _ body: (borrowing StreamEnd) -> Void
    ) throws(HTTP2Error) -> Int {
        var count = 0
        while let index = self.state.pointee.table.oldestLive,
            self.state.pointee.table.slots[Int(index)].submittedAt < instant
        {
            let slot = self.state.pointee.table.slots + Int(index)
            self.state.pointee.table.delist(index)
            // The slot stays occupied until nghttp2 has closed the stream: it may still read from it.
            slot.pointee.isAbandoned = true
            slot.pointee.isTruncated = true
            count += 1
            body(StreamEnd(slot, otherwise: .deadline))
            try self.handle?.reset(streamID: slot.pointee.streamID, code: HTTP2ErrorCode.cancel)
        }
        return count
    }

    /// When the oldest stream without an end was submitted; nil when there is none.
    public var oldestSubmittedAt: Int64? {
        self.state.pointee.table.oldestLive.map { self.state.pointee.table.slots[Int($0)].submittedAt }
    }

    /// Ends every stream because the connection is gone; the session must not be used for anything else afterwards.
    public func endAll(_ body: (borrowing StreamEnd) -> Void) {
        self.takeEnded(body)
        while let index = self.state.pointee.table.oldestLive {
            let slot = self.state.pointee.table.slots + Int(index)
            self.state.pointee.table.delist(index)
            slot.pointee.isAbandoned = true
            slot.pointee.isTruncated = true
            body(StreamEnd(slot, otherwise: .connectionLost))
        }
    }

    // MARK: Header block

    /// Brings the name/value pairs to the request's block and patches what the request sets itself.
    private func prepareScratch(for slot: UnsafeMutablePointer<ClientSlot>) {
        guard let headers = slot.pointee.headers else { return }
        if self.isFirstRequest || self.scratchHeaders?.toOpaque() != headers.toOpaque() {
            self.loadScratch(headers)
        }
        let arena = slot.pointee.arena.assumingMemoryBound(to: UInt8.self)
        self.scratch[PreparedHeaders.pathIndex].value = arena + slot.pointee.path.start
        self.scratch[PreparedHeaders.pathIndex].valuelen = slot.pointee.path.count
        if self.scratchPerRequest >= 0 {
            self.scratch[self.scratchPerRequest].value = arena + slot.pointee.perRequest.start
            self.scratch[self.scratchPerRequest].valuelen = slot.pointee.perRequest.count
        }
    }

    private func loadScratch(_ unmanaged: Unmanaged<PreparedHeaders>) {
        let headers = unmanaged.takeUnretainedValue()
        let pairs = self.isFirstRequest ? headers.first : headers.later
        if pairs.count > self.scratchCapacity {
            self.scratch.deallocate()
            self.scratchCapacity = pairs.count
            self.scratch = .allocate(capacity: pairs.count)
        }
        self.scratchCount = pairs.count
        self.scratchPerRequest = headers.perRequestIndex ?? -1
        if let base = pairs.baseAddress { self.scratch.initialize(from: base, count: pairs.count) }
        self.scratchHeaders?.release()
        // After the first request the flags differ: load again.
        self.scratchHeaders = self.isFirstRequest ? nil : unmanaged.retain()
    }

    /// Submits the request; nghttp2 copies the pairs (not what they point to) and serialises later.
    private func open(_ slot: UnsafeMutablePointer<ClientSlot>) -> Int32 {
        guard slot.pointee.body.count > 0 else {
            slot.pointee.isSent = true
            return nghttp2_submit_request(self.session, nil, self.scratch, self.scratchCount, nil, slot)
        }
        var provider = nghttp2_data_provider()
        provider.source.ptr = UnsafeMutableRawPointer(slot)
        provider.read_callback = ClientState.readBody
        return nghttp2_submit_request(self.session, nil, self.scratch, self.scratchCount, &provider, slot)
    }
}
