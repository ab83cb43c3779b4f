import CNGHTTP2
import CShims

/// Callbacks of nghttp2. They only record: they never re-enter nghttp2, throw across C or log.
extension HTTP2ServerSession {
    static func install(_ callbacks: OpaquePointer) {
        installReceiving(callbacks)
        installEnding(callbacks)
    }

    /// Installs the callbacks for incoming header fields and data.
    private static func installReceiving(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { session, frame, owner in
            guard let frame, let owner else { return 0 }
            guard c_nghttp2_is_request_headers(frame) != 0 else {
                HTTP2ServerSession.at(owner).trailersBegan()
                return 0
            }
            let streamID = c_nghttp2_stream_id(frame)
            let stream = HTTP2ServerSession.at(owner).streamOpened(streamID)
            return nghttp2_session_set_stream_user_data(
                session,
                streamID,
                Unmanaged.passUnretained(stream).toOpaque()
            )
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
            return HTTP2ServerSession.at(owner).headerReceived(
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
            guard let owner, let stream = HTTP2ServerSession.stream(session, streamID) else { return 0 }
            HTTP2ServerSession.at(owner).bodyReceived(stream, UnsafeRawBufferPointer(start: bytes, count: count))
            return 0
        }
    }

    /// Installs the callbacks for complete frames, in both directions, and for closed streams.
    private static func installEnding(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, owner in
            guard let frame, let owner else { return 0 }
            let type = UInt32(c_nghttp2_type(frame))
            guard type == NGHTTP2_DATA.rawValue || type == NGHTTP2_HEADERS.rawValue,
                let stream = HTTP2ServerSession.stream(session, c_nghttp2_stream_id(frame))
            else { return 0 }
            if c_nghttp2_ends_stream(frame) != 0 {
                HTTP2ServerSession.at(owner).requestEnded(stream)
            } else if type == NGHTTP2_HEADERS.rawValue {
                HTTP2ServerSession.at(owner).headEnded(stream)
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_send_callback(callbacks) { session, frame, owner in
            guard let frame, let owner else { return 0 }
            let type = UInt32(c_nghttp2_type(frame))
            if type == NGHTTP2_RST_STREAM.rawValue {
                if c_nghttp2_is_reset(frame) != 0 { HTTP2ServerSession.at(owner).ownResets += 1 }
            } else if type == NGHTTP2_DATA.rawValue || type == NGHTTP2_HEADERS.rawValue,
                c_nghttp2_ends_stream(frame) != 0
            {
                HTTP2ServerSession.stream(session, c_nghttp2_stream_id(frame))?.isAnswered = true
            }
            return 0
        }
        nghttp2_session_callbacks_set_on_stream_close_callback(callbacks) { _, streamID, _, owner in
            guard let owner else { return 0 }
            HTTP2ServerSession.at(owner).streamClosed(streamID)
            return 0
        }
    }

    /// Gives nghttp2 the next piece of an answer's body.
    static let readBody: nghttp2_data_source_read_callback = { _, _, buffer, length, flags, source, owner in
        guard let answered = source?.pointee.ptr, let buffer, let flags, let owner else {
            return Int(NGHTTP2_ERR_CALLBACK_FAILURE.rawValue)
        }
        let stream = Unmanaged<ServerStream>.fromOpaque(answered).takeUnretainedValue()
        let count = min(length, stream.unsentBytes)
        stream.answer?.copy(from: stream.answerSent, into: UnsafeMutableRawBufferPointer(start: buffer, count: count))
        stream.answerSent += count
        HTTP2ServerSession.at(owner).noteUnsent(-count, isShared: stream.answer?.isShared ?? false)
        if stream.unsentBytes == 0 {
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        }
        return count
    }

    /// Safety: nghttp2 passes back the pointer that `init` gave it, and its session dies with that owner.
    private static func at(_ owner: UnsafeMutableRawPointer) -> HTTP2ServerSession {
        Unmanaged<HTTP2ServerSession>.fromOpaque(owner).takeUnretainedValue()
    }

    /// Safety: stream user data is a stream that `open` keeps alive until nghttp2 has closed it.
    private static func stream(_ session: OpaquePointer?, _ streamID: Int32) -> ServerStream? {
        nghttp2_session_get_stream_user_data(session, streamID)
            .map { Unmanaged<ServerStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func streamOpened(_ streamID: Int32) -> ServerStream {
        let stream: ServerStream
        if let spare = self.spare.popLast() {
            stream = spare
        } else {
            stream = ServerStream()
            streamBytes += stream.heldBytes
        }
        stream.reset(streamID: streamID)
        stream.since = now
        open[streamID] = stream
        receiving = stream
        receivingHeaderBytes = 0
        return stream
    }

    /// Ignores trailers; above all they must not change who the client is.
    private func trailersBegan() {
        receiving = nil
        receivingHeaderBytes = 0
    }

    private func headerReceived(
        streamID: Int32,
        name: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) -> Int32 {
        receivingHeaderBytes += name.count + value.count + 32
        guard receivingHeaderBytes <= configuration.headerBytesMax else {
            return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
        // Trailers, or a stream that is gone: ignored.
        guard let stream = receiving, stream.streamID == streamID else { return 0 }
        guard hasRoom(for: name.count + value.count + 32) else { return 0 }
        let before = stream.heldBytes
        stream.append(name: name, value: value)
        streamBytes += stream.heldBytes - before
        return 0
    }

    private func bodyReceived(_ stream: ServerStream, _ bytes: UnsafeRawBufferPointer) {
        guard !stream.isRefused, !stream.isAnswered else { return dropped(stream, bytes.count) }
        guard hasRoom(for: bytes.count) else { return }
        let before = stream.heldBytes
        stream.appendBody(bytes, bytesMax: configuration.bodyBytesMax)
        streamBytes += stream.heldBytes - before
    }

    /// Returns true if this many more bytes fit; otherwise they are dropped and the connection is over.
    private func hasRoom(for bytes: Int) -> Bool {
        if heldBytes + bytes > heldBytesMax { isOverBudget = true }
        return !isOverBudget
    }

    private func headEnded(_ stream: ServerStream) {
        // nghttp2 itself rejects trailers without END_STREAM.
        guard receiving === stream else { return }
        heads.append(stream)
    }

    private func requestEnded(_ stream: ServerStream) {
        stream.hasEnded = true
        guard !stream.isListed, !stream.isRefused else { return }
        stream.isListed = true
        complete.append(stream)
    }

    /// Counts bytes of a body that is not wanted.
    ///
    /// A client that was answered before it had sent everything may complete its request. Some clients drop the answer
    /// when they are reset at once (RFC 9113, section 8.1), for example curl 7.88. So only a client that keeps sending
    /// is reset.
    private func dropped(_ stream: ServerStream, _ bytes: Int) {
        stream.unwantedBytes += bytes
        guard stream.isAnswered, stream.unwantedBytes > configuration.bodyBytesMax else { return }
        try? reset(streamID: stream.streamID, code: HTTP2ErrorCode.noError)
    }

    private func streamClosed(_ streamID: Int32) {
        guard let stream = open.removeValue(forKey: streamID) else { return }
        if receiving === stream { receiving = nil }
        if !heads.isEmpty { heads.removeAll { $0 === stream } }
        stream.isClosed = true
        noteUnsent(-stream.unsentBytes, isShared: stream.answer?.isShared ?? false)
        stream.answer = nil
        stream.answerSent = 0
        // A listed stream is returned when the list is taken.
        if !stream.isListed { keep(stream) }
    }
}
