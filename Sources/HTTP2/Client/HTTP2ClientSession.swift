/// The client's side of one HTTP/2 connection, without a socket.
///
/// ```swift
/// let session = try HTTP2ClientSession()
/// // per read:       try session.receive(plaintext)
/// //                 let events = session.takeEvents()          // SETTINGS, GOAWAY, PING
/// //                 session.takeEnded { end in … }             // answers and failures
/// // once per tick:  try session.submit(now: now) { request in … }  while streams are free
/// //                 while case let n = session.drain(into: buffer, threshold: 15_000), n > 0 { encrypt n bytes }
/// ```
/// Nothing is reported inside ``receive(_:)``. Requests beyond the peer's limit of streams wait here, so the driver
/// keeps ``inFlight`` below ``maxConcurrentStreams``. Confined to one thread (an event loop).
public final class HTTP2ClientSession {
    /// Sizes and limits.
    public struct Configuration: Sendable {
        /// The number of entries, 1 to 65,536: the most streams at once, whatever the peer allows.
        public var streamsMax = 1000
        /// The most bytes kept of an answer's body.
        public var bodyBytesMax = 4096
        /// Header bytes of one answer above which the connection counts as attacked.
        public var headerBytesMax = 65_536
        /// The bytes that the peer may send on the connection without a WINDOW_UPDATE, 65,535 at least.
        public var connectionWindowBytes: Int32 = 1 << 24
        /// The first stream's id, an odd number; a high one lets a test use up the ids.
        public var firstStreamID: Int32 = 1

        /// Creates the default configuration.
        public init() {}
    }

    /// The connection's events since the last call of ``takeEvents()``.
    public struct Events: Sendable {
        /// True if SETTINGS came (the first or later ones): read ``maxConcurrentStreams`` again.
        public var hasSettings = false
        /// The last GOAWAY that came.
        public var goAway: GoAway?
        /// The number of GOAWAY frames: a peer that shuts down in two steps may send both in one read.
        public var goAways = 0
        /// True if a PING of ours was acknowledged.
        public var isPingAcknowledged = false
        /// The number of SETTINGS, PING and PRIORITY frames of the peer, acknowledgements excluded.
        public var controlFrames = 0
        /// True if a frame broke the protocol for its stream only, for example an answer without a status; the stream
        /// was reset.
        public var hasInvalidFrame = false
    }

    // Safety: owned by the session and freed with it. It has a fixed address, so that the hot path counts no
    // references.
    private let state: UnsafeMutablePointer<ClientState>

    /// Creates a session with the client's preface and SETTINGS ready to be sent.
    public init(configuration: Configuration = Configuration()) throws(HTTP2Error) {
        precondition(configuration.firstStreamID & 1 == 1, "stream ids of a client are odd")
        let state = try ClientState(configuration: configuration)
        self.state = .allocate(capacity: 1)
        self.state.initialize(to: state)
    }

    deinit {
        state.deinitialize(count: 1)
        state.deallocate()
    }

    // MARK: Bytes

    /// Processes plaintext from the peer.
    ///
    /// After a throw the connection is over: close it and call ``endAll(_:)``.
    public func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try state.pointee.receive(bytes)
    }

    /// Fills `buffer` with frames until `threshold` bytes are reached or none is left; returns the bytes filled.
    ///
    /// Frames are not split: `buffer` needs ``frameBytesMax`` bytes above `threshold`.
    public func drain(into buffer: UnsafeMutableRawBufferPointer, threshold: Int) -> Int {
        state.pointee.drain(into: buffer, threshold: threshold)
    }

    /// The room above the threshold that ``drain(into:threshold:)`` needs.
    public static let frameBytesMax = FrameHeader.byteCount + FrameHeader.payloadBytesMax

    /// True if there is anything to send.
    public var hasPendingBytes: Bool { state.pointee.hasPendingBytes }

    /// True if neither side has anything more to send: close the socket.
    public var isFinished: Bool { state.pointee.isFinished }

    // MARK: Connection

    /// The number of streams whose end has not been reported.
    public var inFlight: Int { state.pointee.table.liveCount }

    /// The number of free entries.
    public var freeStreams: Int { state.pointee.table.capacity - state.pointee.table.usedCount }

    /// The number of streams that the peer allows at once; nil before its first SETTINGS.
    ///
    /// 0 means that requests must wait.
    public var maxConcurrentStreams: Int? {
        state.pointee.peer.areKnown ? state.pointee.peer.maxConcurrentStreams : nil
    }

    /// Returns the connection's events since the last call.
    public func takeEvents() -> Events {
        let events = state.pointee.events
        state.pointee.events = Events()
        return events
    }

    /// Sends a PING.
    public func ping() { state.pointee.output.appendPing(0, isAcknowledgement: false) }

    /// Writes a GOAWAY frame (RFC 9113, 6.8), so that the peer knows why the socket closes; returns its length.
    ///
    /// It must be the last frame sent on a connection. It bypasses the frames waiting here, whose requests
    /// ``endAll(_:)`` has reported as refused. `buffer` needs ``frameBytesMax`` bytes.
    public static func writeFarewell(into buffer: UnsafeMutableRawBufferPointer) -> Int {
        // Length 8, type 7, no flags, stream 0; last stream 0, since none of the peer's was processed; NO_ERROR.
        let frame: [UInt8] = [0, 0, 8, 7, 0, 0, 0, 0, 0] + [0, 0, 0, 0] + [0, 0, 0, 0]
        buffer.copyBytes(from: frame)
        return frame.count
    }

    // MARK: Requests

    /// Opens a stream with the request that `fill` writes; returns false without effect when `fill` has none.
    ///
    /// - Parameter now: the caller's clock, for ``expire(submittedBefore:resetsMax:_:)``; must not run backwards.
    /// - Throws: before `fill` is called, when the connection has used up its stream ids.
    /// - Precondition: an entry is free and `fill` sets `headers` when it returns true.
    public func submit(now: Int64, _ fill: (inout RequestWriter) -> Bool) throws(HTTP2Error) -> Bool {
        guard state.pointee.nextStreamID != 0 else {
            throw HTTP2Error(.internalFailure, "HTTP/2: stream ids have run out")
        }
        guard let index = state.pointee.table.take() else { preconditionFailure("submit without a free slot") }
        let stream = state.pointee.table[index]
        var writer = RequestWriter(stream: stream, index: index)
        guard fill(&writer) else {
            state.pointee.table.giveBack(index)
            return false
        }
        precondition(writer.hasHeaders, "a request without headers")
        stream.pointee.tag = writer.tag
        stream.pointee.submittedAt = now
        state.pointee.enqueue(index)
        return true
    }

    /// True if ``takeEnded(_:)`` has streams to hand out; streams also end while frames are sent.
    public var hasEnded: Bool { state.pointee.table.hasClosed }

    /// Hands out every stream that has ended since the last call, and frees it.
    ///
    /// `body` must not call the session.
    public func takeEnded(_ body: (borrowing StreamEnd) -> Void) {
        while let index = state.pointee.table.nextClosed() {
            let stream = state.pointee.table[index]
            state.pointee.table.delist(index)
            let code = stream.pointee.closeCode
            body(StreamEnd(stream, otherwise: code == HTTP2ErrorCode.refusedStream ? .refused : .reset(code: code)))
            state.pointee.release(index)
        }
    }

    /// Ends the streams that were submitted before `instant`, oldest first, and hands each out; returns their number.
    ///
    /// The first `resetsMax` of them are reset (CANCEL). Streams that ended on their own are handed out first and do
    /// not count.
    ///
    /// When there are more than `resetsMax`, the connection is to be abandoned: servers count many resets as an attack.
    public func expire(
        submittedBefore instant: Int64,
        resetsMax: Int,
        _ body: (borrowing StreamEnd) -> Void
    ) -> Int {
        takeEnded(body)
        var count = 0
        while let index = state.pointee.table.oldestLive,
            state.pointee.table[index].pointee.submittedAt < instant
        {
            count += 1
            giveUp(index, .deadline, isReset: count <= resetsMax, body)
        }
        return count
    }

    private func giveUp(
        _ index: Int32,
        _ kind: StreamEnd.Kind,
        isReset: Bool,
        _ body: (borrowing StreamEnd) -> Void
    ) {
        let stream = state.pointee.table[index]
        state.pointee.table.delist(index)
        body(StreamEnd(stream, otherwise: kind))
        state.pointee.abandon(index, isReset: isReset)
    }

    /// Ends every stream because the connection is gone; the session must not be used afterwards.
    public func endAll(_ body: (borrowing StreamEnd) -> Void) {
        takeEnded(body)
        while let index = state.pointee.table.oldestLive {
            giveUp(index, .connectionLost, isReset: false, body)
        }
    }
}
