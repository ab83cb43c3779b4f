/// Receiving: splits the peer's bytes into frames and processes those of the connection.
extension ClientState {
    /// The most SETTINGS and PING acknowledgements that may wait to be sent.
    static let acknowledgementsMax = 200
    /// The most parameters of one SETTINGS frame; six are defined.
    static let settingsMax = 32
    /// The most bytes kept of a GOAWAY's debug data: plenty for APNs' reason.
    static let goAwayTextMax = 1024

    /// Processes plaintext; after a throw the connection is over and further bytes are ignored.
    mutating func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard var cursor = bytes.baseAddress, !isBroken else { return }
        let end = cursor + bytes.count
        if partialCount > 0 { try completePartial(&cursor, end) }
        while end - cursor >= FrameHeader.byteCount {
            let header = FrameHeader(at: cursor)
            try checkLength(header)
            guard end - cursor >= FrameHeader.byteCount + header.length else { break }
            let payload = UnsafeRawBufferPointer(start: cursor + FrameHeader.byteCount, count: header.length)
            try frameReceived(header, payload)
            cursor += FrameHeader.byteCount + header.length
        }
        keepPartial(&cursor, end - cursor)
    }

    /// Completes a frame that began in an earlier piece, as far as this piece goes.
    private mutating func completePartial(_ cursor: inout UnsafeRawPointer, _ end: UnsafeRawPointer) throws(HTTP2Error)
    {
        keepPartial(&cursor, min(end - cursor, max(0, FrameHeader.byteCount - partialCount)))
        guard partialCount >= FrameHeader.byteCount else { return }
        let header = FrameHeader(at: partial)
        try checkLength(header)
        let size = FrameHeader.byteCount + header.length
        keepPartial(&cursor, min(end - cursor, size - partialCount))
        guard partialCount == size else { return }
        partialCount = 0
        try frameReceived(
            header,
            UnsafeRawBufferPointer(start: partial + FrameHeader.byteCount, count: header.length)
        )
    }

    private mutating func keepPartial(_ cursor: inout UnsafeRawPointer, _ count: Int) {
        (partial + partialCount).copyMemory(from: cursor, byteCount: count)
        partialCount += count
        cursor += count
    }

    private mutating func checkLength(_ header: FrameHeader) throws(HTTP2Error) {
        guard header.length <= FrameHeader.payloadBytesMax else { throw frameSizeError(header) }
        // The first frame shows whether the peer speaks HTTP/2 (RFC 9113 section 3.4); do not wait for its payload.
        guard peer.areKnown || (header.type == FrameType.settings && !header.has(FrameFlags.acknowledgement))
        else { throw violation("SETTINGS do not come first") }
    }

    private mutating func frameReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard block.streamID == 0 || header.type == FrameType.continuation else {
            throw violation("a frame within a header block")
        }
        if receiveShortAnswer(header, payload) { return }
        switch header.type {
        case FrameType.headers: try headersReceived(header, payload)
        case FrameType.data: try dataReceived(header, payload)
        case FrameType.continuation: try continuationReceived(header, payload)
        case FrameType.settings: try settingsReceived(header, payload)
        case FrameType.ping: try pingReceived(header, payload)
        case FrameType.goAway: try goAwayReceived(header, payload)
        case FrameType.windowUpdate:
            guard header.length == 4 else { throw frameSizeError(header) }
            if header.streamID != 0 { try checkOpened(header) }
            try widen(header.streamID, by: Int(ClientState.number(payload, at: 0) & 0x7FFF_FFFF))
        case FrameType.resetStream: try resetReceived(header, payload)
        case FrameType.priority:
            guard header.length == 5 else { throw frameSizeError(header) }
            events.controlFrames += 1
        // Our SETTINGS have forbidden it.
        case FrameType.pushPromise: throw violation("PUSH_PROMISE")
        // Unknown types must be ignored (RFC 9113 section 4.1).
        default: break
        }
    }

    private mutating func settingsReceived(
        _ header: FrameHeader,
        _ payload: UnsafeRawBufferPointer
    ) throws(HTTP2Error) {
        guard header.streamID == 0 else { throw violation("SETTINGS of a stream") }
        if header.has(FrameFlags.acknowledgement) {
            guard header.length == 0 else { throw frameSizeError(header) }
            return
        }
        guard header.length % 6 == 0 else { throw frameSizeError(header) }
        guard header.length <= 6 * Self.settingsMax else { throw flooded("SETTINGS of \(header.length) bytes") }
        // Unless SETTINGS limit it, the number of streams is unlimited (RFC 9113 section 6.5.2).
        if !peer.areKnown { peer.maxConcurrentStreams = Int(UInt32.max) }
        for start in stride(from: 0, to: payload.count, by: 6) {
            let name = UInt16(bigEndian: payload.loadUnaligned(fromByteOffset: start, as: UInt16.self))
            try settingReceived(name, ClientState.number(payload, at: start + 2))
        }
        peer.areKnown = true
        events.hasSettings = true
        events.controlFrames += 1
        output.appendSettingsAcknowledgement()
        try checkAcknowledgements()
    }

    private mutating func settingReceived(_ name: UInt16, _ value: UInt32) throws(HTTP2Error) {
        switch name {
        case SettingsParameter.headerTableSize: encoder.limitTable(to: value)
        case SettingsParameter.enablePush:
            guard value == 0 else { throw violation("a server that enables push") }
        case SettingsParameter.maxConcurrentStreams: peer.maxConcurrentStreams = Int(value)
        case SettingsParameter.initialWindowSize: try changeInitialWindow(to: value)
        case SettingsParameter.maxFrameSize:
            guard (16_384...16_777_215).contains(value) else {
                throw violation("SETTINGS_MAX_FRAME_SIZE \(value)")
            }
            peer.maxFrameBytes = Int(value)
        default: break
        }
    }

    private mutating func pingReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard header.streamID == 0 else { throw violation("PING of a stream") }
        guard header.length == 8 else { throw frameSizeError(header) }
        if header.has(FrameFlags.acknowledgement) {
            events.isPingAcknowledged = true
            return
        }
        let opaque = UInt64(bigEndian: payload.loadUnaligned(as: UInt64.self))
        events.controlFrames += 1
        output.appendPing(opaque, isAcknowledgement: true)
        try checkAcknowledgements()
    }

    private mutating func goAwayReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard header.streamID == 0 else { throw violation("GOAWAY of a stream") }
        guard header.length >= 8 else { throw frameSizeError(header) }
        let last = Int32(ClientState.number(payload, at: 0) & 0x7FFF_FFFF)
        guard last <= goAwayLast ?? Int32.max else { throw violation("GOAWAY raises its last stream") }
        goAwayLast = last
        events.goAways += 1
        events.goAway = GoAway(
            lastStreamID: last,
            code: ClientState.number(payload, at: 4),
            debugData: Array(payload[8..<min(payload.count, 8 + Self.goAwayTextMax)])
        )
        // The peer has not processed streams above its last one and never will (RFC 9113 section 6.8).
        for index in 0..<Int32(table.capacity) {
            let stream = table[index]
            guard stream.pointee.phase == .queued || (stream.pointee.phase == .open && stream.pointee.streamID > last)
            else {
                continue
            }
            close(index, code: HTTP2ErrorCode.refusedStream)
        }
    }

    private mutating func resetReceived(_ header: FrameHeader, _ payload: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard header.length == 4 else { throw frameSizeError(header) }
        try checkOpened(header)
        guard let index = indexes.index(of: header.streamID) else { return }
        close(index, code: ClientState.number(payload, at: 0))
    }

    private mutating func checkAcknowledgements() throws(HTTP2Error) {
        guard output.acknowledgements <= Self.acknowledgementsMax else {
            throw flooded("SETTINGS or PING without end")
        }
    }

    mutating func flooded(_ message: String) -> HTTP2Error {
        failure(HTTP2ErrorCode.enhanceYourCalm, .flooded, message)
    }

    mutating func frameSizeError(_ header: FrameHeader) -> HTTP2Error {
        failure(
            HTTP2ErrorCode.frameSizeError,
            .protocolViolation,
            "a frame of type \(header.type) with \(header.length) bytes"
        )
    }

    private static func number(_ bytes: UnsafeRawBufferPointer, at offset: Int) -> UInt32 {
        UInt32(bigEndian: bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self))
    }
}
