/// The client's half of an HTTP/2 connection as a state machine: bytes in, bytes out, without socket or clock.
///
/// It lives at a fixed address, so that using it needs no reference counting. ``receive(_:)`` only records; ended
/// streams and connection events are fetched afterwards.
struct ClientState: ~Copyable {
    let configuration: HTTP2ClientSession.Configuration
    var table: ClientStreamTable
    var events = HTTP2ClientSession.Events()
    var peer = PeerSettings()
    /// The streams whose HEADERS were sent and that are not closed.
    var indexes: StreamIndex
    /// Frames that are sent before any request.
    var output = FrameBuffer()
    /// True if the connection is unusable: received bytes are ignored and no request is sent.
    var isBroken = false
    /// True if we have sent GOAWAY.
    var hasLeft = false
    /// The last stream of the peer's GOAWAY.
    var goAwayLast: Int32?

    // Sending.
    var encoder = RequestEncoder()
    /// Requests of which nothing was sent, in order of their ids.
    var starting: StreamQueue
    /// Requests whose body is partly sent.
    var continuing: StreamQueue
    /// The bytes of DATA that the peer still accepts on the connection.
    var sendWindow = PeerSettings.initialWindowBytes
    /// The next stream's id; 0 when the ids are used up.
    var nextStreamID: Int32
    /// The last stream whose HEADERS were sent.
    var lastOpened: Int32 = 0

    // Receiving.
    var decoder: HeaderDecoder
    /// A frame that was received only in part.
    var partial: UnsafeMutableRawPointer
    var partialCount = 0
    /// Bytes of DATA on the connection that no WINDOW_UPDATE has returned yet.
    var received = 0
    var block = AnswerBlock()

    init(configuration: HTTP2ClientSession.Configuration) throws(HTTP2Error) {
        decoder = try HeaderDecoder()
        self.configuration = configuration
        table = ClientStreamTable(capacity: configuration.streamsMax)
        indexes = StreamIndex(streamsMax: configuration.streamsMax)
        starting = StreamQueue(capacity: configuration.streamsMax)
        continuing = StreamQueue(capacity: configuration.streamsMax)
        nextStreamID = configuration.firstStreamID
        partial = .allocate(byteCount: FrameHeader.byteCount + FrameHeader.payloadBytesMax, alignment: 16)
        begin()
    }

    deinit { partial.deallocate() }

    /// Queues the preface (RFC 9113 section 3.4), SETTINGS and a wider window for the connection.
    private mutating func begin() {
        let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        output.append(UnsafeRawBufferPointer(start: preface.utf8Start, count: preface.utf8CodeUnitCount))
        output.appendSettings([
            (SettingsParameter.enablePush, 0),
            (SettingsParameter.maxHeaderListSize, UInt32(clamping: configuration.headerBytesMax)),
        ])
        let wider = Int(configuration.connectionWindowBytes) - PeerSettings.initialWindowBytes
        if wider > 0 { output.appendWindowUpdate(0, wider) }
    }

    /// True if neither side has anything more to send.
    var isFinished: Bool {
        guard output.isEmpty else { return false }
        return isBroken || ((goAwayLast != nil || hasLeft) && table.usedCount == 0)
    }

    /// Queues GOAWAY, once.
    mutating func leave(_ code: UInt32) {
        guard !hasLeft else { return }
        hasLeft = true
        output.appendGoAway(code)
    }

    /// Ends the connection because the peer broke the protocol, and tells the peer why.
    mutating func failure(_ number: UInt32, _ code: HTTP2Error.Code, _ message: String) -> HTTP2Error {
        leave(number)
        isBroken = true
        return HTTP2Error(code, "HTTP/2: \(message)")
    }

    /// Returns the failure for a protocol violation of the peer.
    mutating func violation(_ message: String) -> HTTP2Error {
        failure(HTTP2ErrorCode.protocolError, .protocolViolation, message)
    }

    // MARK: Ends of streams

    /// Closes a stream; its end is reported later.
    mutating func close(_ index: Int32, code: UInt32) {
        let stream = table[index]
        indexes.remove(stream.pointee.streamID)
        stream.pointee.phase = .closed
        stream.pointee.closeCode = code
        table.noteClosed(index)
    }

    /// Resets a stream because its answer is malformed (RFC 9113 section 8.1.1) or not needed.
    mutating func reset(_ index: Int32, code: UInt32) {
        events.hasInvalidFrame = true
        output.appendReset(table[index].pointee.streamID, code)
        close(index, code: code)
    }

    /// Drops a stream without a further report; its entry is freed as soon as no queue holds it.
    ///
    /// With `isReset` the peer is told, if it knows the stream.
    mutating func abandon(_ index: Int32, isReset: Bool) {
        let stream = table[index]
        if stream.pointee.phase == .open {
            if isReset { output.appendReset(stream.pointee.streamID, HTTP2ErrorCode.cancel) }
            indexes.remove(stream.pointee.streamID)
        }
        release(index)
    }

    /// Frees an entry whose end was reported.
    mutating func release(_ index: Int32) {
        if table[index].pointee.isInLine {
            table[index].pointee.phase = .abandoned
        } else {
            table.giveBack(index)
        }
    }
}

/// The peer's SETTINGS.
struct PeerSettings {
    /// The size of windows before any SETTINGS (RFC 9113 section 6.9.2).
    static let initialWindowBytes = 65_535
    static let windowBytesMax = 0x7FFF_FFFF

    /// True once the first SETTINGS came.
    var areKnown = false
    /// The peer's limit of streams; a careful guess until SETTINGS come.
    var maxConcurrentStreams = 100
    /// The initial window of a stream.
    var initialWindow = initialWindowBytes
    /// The most payload bytes of a frame that we send.
    var maxFrameBytes = FrameHeader.payloadBytesMax
}
