/// The client's side of one HTTP/2 connection, without a socket.
///
/// ```swift
/// let session = try HTTP2ClientSession()
/// // per read:       try session.receive(plaintext)
/// //                 let events = session.takeEvents()          // SETTINGS, GOAWAY, PING
/// //                 session.takeEnded { end in … }             // answers and failures
/// // once per turn:  try session.submit(now: now) { request in … }  while streams are free
/// //                 while case let n = session.send(into: buffer, threshold: 15_000), n > 0 { encrypt n bytes }
/// ```
/// Nothing is told inside ``receive(_:)``. Requests beyond the peer's limit of streams wait here, so whoever drives
/// the session keeps ``inFlight`` below ``maxConcurrentStreams``. Confined to one thread (an event loop).
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
        ///
        /// 65,535 at least.
        public var connectionWindowBytes: Int32 = 1 << 24
        /// The first stream's id, an odd number; a high one lets a test see ids run out.
        public var firstStreamID: Int32 = 1

        /// The defaults.
        public init() {}
    }

    /// What happened on the connection since the last call of ``takeEvents()``.
    public struct Events: Sendable {
        /// SETTINGS came (the first or a later one): ask ``maxConcurrentStreams`` again.
        public var hasSettings = false
        /// The last GOAWAY that came.
        public var goAway: GoAway?
        /// How many came: a peer that leaves in two steps may say both in one read.
        public var goAways = 0
        /// A PING of ours was answered.
        public var isPingAcknowledged = false
        /// SETTINGS, PING and PRIORITY frames of the peer, acknowledgements left out.
        public var controlFrames = 0
        /// A frame came that breaks the protocol for its stream only, for example an answer without a status; the
        /// stream is reset.
        public var hasInvalidFrame = false
    }

    // Safety: owned by the session and freed with it; at an address of its own, so that the hot path counts no
    // references.
    private let state: UnsafeMutablePointer<ClientState>

    /// Makes a session; the client's preface and SETTINGS are ready to be sent.
    public init(configuration: Configuration = Configuration()) throws(HTTP2Error) {
        precondition(configuration.firstStreamID & 1 == 1, "stream ids of a client are odd")
        let state = try ClientState(configuration: configuration)
        self.state = .allocate(capacity: 1)
        self.state.initialize(to: state)
    }

    deinit {
        self.state.deinitialize(count: 1)
        self.state.deallocate()
    }

    // MARK: Bytes

    /// Takes plaintext from the peer.
    ///
    /// After a throw the connection is over: close it and call ``endAll(_:)``.
    public func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try self.state.pointee.receive(bytes)
    }

    /// Fills `buffer` with frames until `threshold` bytes are reached or none is left; returns the bytes filled.
    ///
    /// Frames are not cut: `buffer` needs ``frameBytesMax`` bytes above `threshold`.
    public func send(into buffer: UnsafeMutableRawBufferPointer, threshold: Int) -> Int {
        self.state.pointee.send(into: buffer, threshold: threshold)
    }

    /// The room above the threshold that ``send(into:threshold:)`` needs.
    public static let frameBytesMax = FrameHeader.byteCount + FrameHeader.payloadBytesMax

    /// Whether there is anything to send.
    public var wantsWrite: Bool { self.state.pointee.wantsWrite }

    /// Both sides have said all: close the socket.
    public var isFinished: Bool { self.state.pointee.isFinished }

    // MARK: Connection

    /// Streams whose end has not been told.
    public var inFlight: Int { self.state.pointee.table.liveCount }

    /// Slots that no stream occupies.
    public var freeSlots: Int { self.state.pointee.table.capacity - self.state.pointee.table.usedCount }

    /// How many streams the peer allows at once; nil before its first SETTINGS.
    ///
    /// 0 means: wait.
    public var maxConcurrentStreams: Int? {
        self.state.pointee.peer.areKnown ? self.state.pointee.peer.maxConcurrentStreams : nil
    }

    /// What happened on the connection since the last call.
    public func takeEvents() -> Events {
        let events = self.state.pointee.events
        self.state.pointee.events = Events()
        return events
    }

    /// Sends a PING.
    public func ping() { self.state.pointee.output.appendPing(0, isAcknowledgement: false) }

    /// Writes a GOAWAY frame (RFC 9113, 6.8), so that the peer knows why the socket goes; returns its length.
    ///
    /// The last thing that is sent on a connection. It passes by what waits here, which ``endAll(_:)`` has told as
    /// refused. `buffer` needs ``frameBytesMax`` bytes.
    public static func writeFarewell(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        // Length 8, type 7, no flags, stream 0; no stream of the peer's was processed; NO_ERROR.
        let frame: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 0]
        buffer.copyBytes(from: frame)
        return frame.count
    }

    // MARK: Requests

    /// Opens a stream with the request that `fill` writes; false (and nothing happened) when `fill` has none.
    ///
    /// - Parameter now: the caller's clock, for ``expire(submittedBefore:resetsMax:_:)``; must not run backwards.
    /// - Throws: before `fill` is called, when the connection has used up its stream ids.
    /// - Precondition: a slot is free and `fill` sets `headers` when it returns true.
    public func submit(now: Int64, _ fill: (inout RequestWriter) -> Bool) throws(HTTP2Error) -> Bool {
        guard self.state.pointee.nextStreamID != 0 else {
            throw HTTP2Error(.internalFailure, "HTTP/2: stream ids have run out")
        }
        guard let index = self.state.pointee.table.take() else { preconditionFailure("submit without a free slot") }
        let slot = self.state.pointee.table[index]
        var writer = RequestWriter(slot: slot, index: index)
        guard fill(&writer) else {
            self.state.pointee.table.giveBack(index)
            return false
        }
        precondition(writer.hasHeaders, "a request without headers")
        slot.pointee.tag = writer.tag
        slot.pointee.submittedAt = now
        self.state.pointee.enqueue(index)
        return true
    }

    /// Whether ``takeEnded(_:)`` has something to hand out; streams end while frames are sent, too.
    public var hasEnded: Bool { self.state.pointee.table.hasClosed }

    /// Hands out every stream that has ended since the last call, and frees it.
    ///
    /// `body` must not call the session.
    public func takeEnded(_ body: (borrowing StreamEnd) -> Void) {
        while let index = self.state.pointee.table.nextClosed() {
            let slot = self.state.pointee.table[index]
            self.state.pointee.table.delist(index)
            let code = slot.pointee.closeCode
            body(StreamEnd(slot, otherwise: code == HTTP2ErrorCode.refusedStream ? .refused : .reset(code: code)))
            self.state.pointee.release(index)
        }
    }

    /// Ends the streams that were submitted before `instant`, oldest first: each is handed out, and the first
    /// `resetsMax` of them are reset (CANCEL).
    ///
    /// What has ended by itself is handed out before and does not count. When there are more than `resetsMax`, the
    /// connection is to be left: servers count many resets as an attack. Returns how many were ended.
    public func expire(
        submittedBefore instant: Int64,
        resetsMax: Int,
        _ body: (borrowing StreamEnd) -> Void
    ) -> Int {
        self.takeEnded(body)
        var count = 0
        while let index = self.state.pointee.table.oldestLive,
            self.state.pointee.table[index].pointee.submittedAt < instant
        {
            count += 1
            self.giveUp(index, .deadline, isReset: count <= resetsMax, body)
        }
        return count
    }

    private func giveUp(
        _ index: Int32,
        _ kind: StreamEnd.Kind,
        isReset: Bool,
        _ body: (borrowing StreamEnd) -> Void
    ) {
        let slot = self.state.pointee.table[index]
        self.state.pointee.table.delist(index)
        slot.pointee.isTruncated = true
        body(StreamEnd(slot, otherwise: kind))
        self.state.pointee.abandon(index, isReset: isReset)
    }

    /// When the oldest stream without an end was submitted; nil when there is none.
    public var oldestSubmittedAt: Int64? {
        self.state.pointee.table.oldestLive.map { self.state.pointee.table[$0].pointee.submittedAt }
    }

    /// Ends every stream because the connection is gone; the session must not be used for anything else afterwards.
    public func endAll(_ body: (borrowing StreamEnd) -> Void) {
        self.takeEnded(body)
        while let index = self.state.pointee.table.oldestLive {
            self.giveUp(index, .connectionLost, isReset: false, body)
        }
    }
}
