/// The client's half of an HTTP/2 connection as a state machine: bytes in, bytes out, no socket, no clock.
///
/// It lies at an address of its own, so that using it costs no reference counting. ``receive(_:)`` only records:
/// what ended and what happened is asked for afterwards.
struct ClientState: ~Copyable {
    let configuration: HTTP2ClientSession.Configuration
    var table: ClientSlotTable
    var events = HTTP2ClientSession.Events()
    var peer = PeerSettings()
    /// Streams whose HEADERS went out and that are not closed.
    var streams: StreamIndex
    /// What goes out before any request.
    var output = FrameBuffer()
    /// The connection cannot be used any more: what comes is not looked at, and no request is sent.
    var isBroken = false
    /// GOAWAY was said.
    var hasLeft = false
    /// The last stream of the peer's GOAWAY.
    var goAwayLast: Int32?

    // Sending.
    var encoder = RequestEncoder()
    /// Requests of which nothing was sent, in order of their ids.
    var starting: SlotQueue
    /// Requests whose body goes on.
    var continuing: SlotQueue
    /// How much more DATA the peer takes on the connection.
    var sendWindow = PeerSettings.initialWindowBytes
    /// 0 when they have run out.
    var nextStreamID: Int32
    /// The last whose HEADERS went out.
    var lastOpened: Int32 = 0

    // Receiving.
    var decoder: HeaderDecoder
    /// A frame of which only a part has come.
    var partial: UnsafeMutableRawPointer
    var partialCount = 0
    /// DATA of the connection that no WINDOW_UPDATE gave back yet.
    var received = 0
    var block = AnswerBlock()

    init(configuration: HTTP2ClientSession.Configuration) throws(HTTP2Error) {
        self.decoder = try HeaderDecoder()
        self.configuration = configuration
        self.table = ClientSlotTable(capacity: configuration.streamsMax)
        self.streams = StreamIndex(streamsMax: configuration.streamsMax)
        self.starting = SlotQueue(capacity: configuration.streamsMax)
        self.continuing = SlotQueue(capacity: configuration.streamsMax)
        self.nextStreamID = configuration.firstStreamID
        self.partial = .allocate(byteCount: FrameHeader.byteCount + FrameHeader.payloadBytesMax, alignment: 16)
        self.begin()
    }

    deinit { self.partial.deallocate() }

    /// The preface (RFC 9113 section 3.4), SETTINGS and a wider window for the connection.
    private mutating func begin() {
        let preface: StaticString = "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"
        self.output.append(UnsafeRawBufferPointer(start: preface.utf8Start, count: preface.utf8CodeUnitCount))
        self.output.appendSettings([
            (SettingsParameter.enablePush, 0),
            (SettingsParameter.maxHeaderListSize, UInt32(clamping: self.configuration.headerBytesMax)),
        ])
        let wider = Int(self.configuration.connectionWindowBytes) - PeerSettings.initialWindowBytes
        if wider > 0 { self.output.appendWindowUpdate(0, wider) }
    }

    /// Both sides have said all.
    var isFinished: Bool {
        guard self.output.isEmpty else { return false }
        return self.isBroken || ((self.goAwayLast != nil || self.hasLeft) && self.table.usedCount == 0)
    }

    /// Says GOAWAY, once.
    mutating func leave(_ code: UInt32) {
        guard !self.hasLeft else { return }
        self.hasLeft = true
        self.output.appendGoAway(code)
    }

    /// Ends the connection, because the peer broke the protocol; tells it why.
    mutating func failure(_ number: UInt32, _ code: HTTP2Error.Code, _ message: String) -> HTTP2Error {
        self.leave(number)
        self.isBroken = true
        return HTTP2Error(code, "HTTP/2: \(message)")
    }

    /// The peer broke the protocol.
    mutating func violation(_ message: String) -> HTTP2Error {
        self.failure(HTTP2ErrorCode.protocolError, .protocolViolation, message)
    }

    // MARK: Ends of streams

    /// Closes a stream, whose end is told later.
    mutating func close(_ index: Int32, code: UInt32) {
        let slot = self.table[index]
        self.streams.remove(slot.pointee.streamID)
        slot.pointee.phase = .closed
        slot.pointee.closeCode = code
        self.table.noteClosed(index)
    }

    /// Resets a stream because its answer is malformed (RFC 9113 section 8.1.1) or not needed.
    mutating func reset(_ index: Int32, code: UInt32) {
        self.events.hasInvalidFrame = true
        self.output.appendReset(self.table[index].pointee.streamID, code)
        self.table[index].pointee.isTruncated = true
        self.close(index, code: code)
    }

    /// Nothing will be told of a stream any more: its slot is given back as soon as no queue holds it.
    ///
    /// `isReset`: the peer is told, if it knows the stream.
    mutating func abandon(_ index: Int32, isReset: Bool) {
        let slot = self.table[index]
        if slot.pointee.phase == .open {
            if isReset { self.output.appendReset(slot.pointee.streamID, HTTP2ErrorCode.cancel) }
            self.streams.remove(slot.pointee.streamID)
        }
        self.release(index)
    }

    /// Gives a slot back whose end was told.
    mutating func release(_ index: Int32) {
        if self.table[index].pointee.isInLine {
            self.table[index].pointee.phase = .abandoned
        } else {
            self.table.giveBack(index)
        }
    }
}

/// What the peer's SETTINGS say.
struct PeerSettings {
    /// Windows before anything is said (RFC 9113 section 6.9.2).
    static let initialWindowBytes = 65_535
    static let windowBytesMax = 0x7FFF_FFFF

    /// They came at least once.
    var areKnown = false
    /// A careful guess until they come.
    var maxConcurrentStreams = 100
    /// Of a stream.
    var initialWindow = initialWindowBytes
    /// Payload bytes of a frame of ours.
    var maxFrameBytes = FrameHeader.payloadBytesMax
}
