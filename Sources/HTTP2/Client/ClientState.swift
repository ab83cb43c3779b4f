import CNGHTTP2
import CShims

/// What a client session's callbacks record, at an address of its own: nghttp2 hands that address back, and going
/// through it costs no reference counting.
///
/// The callbacks only record: no re-entry, no error across C, no log.
struct ClientState: ~Copyable {
    let configuration: HTTP2ClientSession.Configuration
    var table: ClientSlotTable
    var events = HTTP2ClientSession.Events()
    /// SETTINGS of the peer have been seen at least once.
    var hasSettings = false
    /// The stream whose header block is being received, and how much of it came.
    private var receivingSlot: UnsafeMutablePointer<ClientSlot>?
    private var receivingStreamID: Int32 = 0
    private var receivingHeaderBytes = 0

    init(configuration: HTTP2ClientSession.Configuration) {
        self.configuration = configuration
        self.table = ClientSlotTable(capacity: configuration.streamsMax)
    }

    static func install(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { session, frame, owner in
            guard let frame, let owner else { return 0 }
            ClientState.at(owner).pointee.headersBegin(session, streamID: c_nghttp2_stream_id(frame))
            return 0
        }
        nghttp2_session_callbacks_set_on_header_callback(callbacks) {
            _,
            frame,
            name,
            nameCount,
            value,
            valueCount,
            _,
            owner in
            guard let frame, let owner else { return 0 }
            return ClientState.at(owner).pointee.headerReceived(
                streamID: c_nghttp2_stream_id(frame),
                name: UnsafeRawBufferPointer(start: name, count: nameCount),
                value: UnsafeRawBufferPointer(start: value, count: valueCount)
            )
        }
        nghttp2_session_callbacks_set_on_data_chunk_recv_callback(callbacks) {
            session,
            _,
            streamID,
            bytes,
            count,
            owner in
            guard let owner, let slot = ClientState.slot(session, streamID) else { return 0 }
            slot.pointee.appendBody(
                UnsafeRawBufferPointer(start: bytes, count: count),
                bytesMax: ClientState.at(owner).pointee.configuration.bodyBytesMax
            )
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { _, frame, owner in
            guard let frame, let owner else { return 0 }
            ClientState.at(owner).pointee.frameReceived(frame)
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { session, streamID, code, owner in
            guard let owner, let slot = ClientState.slot(session, streamID) else { return 0 }
            ClientState.at(owner).pointee.streamClosed(slot, code: code)
            return 0
        }
    }

    /// Gives nghttp2 the next piece of a request's body.
    static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, length, flags, source, _ in
        guard let slot = source?.pointee.ptr?.assumingMemoryBound(to: ClientSlot.self), let buffer, let flags else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let count = min(length, slot.pointee.body.count - slot.pointee.bodySent)
        let from = slot.pointee.arena + slot.pointee.body.start + slot.pointee.bodySent
        UnsafeMutableRawPointer(buffer).copyMemory(from: from, byteCount: count)
        slot.pointee.bodySent += count
        if slot.pointee.bodySent == slot.pointee.body.count {
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
            slot.pointee.isSent = true
        }
        return count
    }

    /// Safety: nghttp2 gives back what the session handed in, and dies before it.
    private static func at(_ owner: UnsafeMutableRawPointer) -> UnsafeMutablePointer<ClientState> {
        owner.assumingMemoryBound(to: ClientState.self)
    }

    /// Safety: stream user data is always the address of a slot, and slots do not move.
    private static func slot(_ session: OpaquePointer?, _ streamID: Int32) -> UnsafeMutablePointer<ClientSlot>? {
        nghttp2_session_get_stream_user_data(session, streamID)?.assumingMemoryBound(to: ClientSlot.self)
    }

    private mutating func headersBegin(_ session: OpaquePointer?, streamID: Int32) {
        // Header blocks are never interleaved (RFC 9113 section 4.3), so one look-up serves all their fields.
        self.receivingSlot = ClientState.slot(session, streamID)
        self.receivingStreamID = streamID
        self.receivingHeaderBytes = 0
    }

    private mutating func headerReceived(
        streamID: Int32,
        name: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) -> Int32 {
        self.receivingHeaderBytes += name.count + value.count + 32
        guard self.receivingHeaderBytes <= self.configuration.headerBytesMax else {
            return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
        guard streamID == self.receivingStreamID, let slot = self.receivingSlot else { return 0 }
        // By length first: most fields are of no interest.
        switch name.count {
        case 4 where name.elementsEqual("date".utf8): slot.pointee.date = slot.pointee.appendField(value)
        case 7 where name.elementsEqual(":status".utf8):
            slot.pointee.resetAnswer()
            slot.pointee.status = ClientState.status(value)
        case 7 where name.elementsEqual("apns-id".utf8): slot.pointee.apnsID = slot.pointee.appendField(value)
        case 11 where name.elementsEqual("retry-after".utf8):
            slot.pointee.retryAfter = slot.pointee.appendField(value)
        case 12 where name.elementsEqual("content-type".utf8):
            slot.pointee.contentType = slot.pointee.appendField(value)
        default: break
        }
        return 0
    }

    /// nghttp2 has checked that it is three digits.
    private static func status(_ value: UnsafeRawBufferPointer) -> UInt16 {
        value.prefix(3).reduce(0) { $0 * 10 + UInt16($1 & 0x0F) }
    }

    private mutating func frameReceived(_ frame: UnsafePointer<nghttp2_frame>) {
        switch UInt32(c_nghttp2_type(frame)) {
        case NGHTTP2_SETTINGS.rawValue where c_nghttp2_is_ack(frame) == 0:
            self.hasSettings = true
            self.events.hasSettings = true
        case NGHTTP2_PING.rawValue where c_nghttp2_is_ack(frame) != 0: self.events.isPingAcknowledged = true
        case NGHTTP2_GOAWAY.rawValue:
            let goAway = frame.pointee.goaway
            // One KiB is plenty for APNs' reason; the rest is not worth the memory.
            let debugData = UnsafeBufferPointer(start: goAway.opaque_data, count: min(goAway.opaque_data_len, 1024))
            self.events.goAway = GoAway(
                lastStreamID: goAway.last_stream_id,
                code: goAway.error_code,
                debugData: Array(debugData)
            )
        default: break
        }
    }

    private mutating func streamClosed(_ slot: UnsafeMutablePointer<ClientSlot>, code: UInt32) {
        slot.pointee.closeCode = code
        if self.receivingSlot == slot { self.receivingSlot = nil }
        self.table.noteClosed(self.table.index(of: slot))
    }
}
