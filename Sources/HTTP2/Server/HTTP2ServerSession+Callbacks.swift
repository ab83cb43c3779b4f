import CNGHTTP2
import CShims

/// What nghttp2 calls while it works. These only record: no re-entry, no error across C, no log.
extension HTTP2ServerSession {
    static func install(_ callbacks: OpaquePointer) {
        nghttp2_session_callbacks_set_on_begin_headers_callback(callbacks) { session, frame, owner in
            guard let frame, let owner, c_nghttp2_is_request_headers(frame) != 0 else { return 0 }
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
            stream.appendBody(
                UnsafeRawBufferPointer(start: bytes, count: count),
                bytesMax: HTTP2ServerSession.at(owner).configuration.bodyBytesMax
            )
            return 0
        }
        nghttp2_session_callbacks_set_on_frame_recv_callback(callbacks) { session, frame, owner in
            guard let frame, let owner, c_nghttp2_ends_stream(frame) != 0 else { return 0 }
            let type = UInt32(c_nghttp2_type(frame))
            guard type == NGHTTP2_DATA.rawValue || type == NGHTTP2_HEADERS.rawValue,
                let stream = HTTP2ServerSession.stream(session, c_nghttp2_stream_id(frame))
            else { return 0 }
            HTTP2ServerSession.at(owner).requestEnded(stream)
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
        let count = min(length, stream.answerBody.count - stream.answerSent)
        stream.answerBody.withUnsafeBytes { bytes in
            if let base = bytes.baseAddress {
                UnsafeMutableRawPointer(buffer).copyMemory(from: base + stream.answerSent, byteCount: count)
            }
        }
        stream.answerSent += count
        HTTP2ServerSession.at(owner).unsentBytes -= count
        if stream.answerSent == stream.answerBody.count {
            flags.pointee |= UInt32(NGHTTP2_DATA_FLAG_EOF.rawValue)
        }
        return count
    }

    /// Safety: nghttp2 gives back what `init` handed in, and the session dies with its owner.
    private static func at(_ owner: UnsafeMutableRawPointer) -> HTTP2ServerSession {
        Unmanaged<HTTP2ServerSession>.fromOpaque(owner).takeUnretainedValue()
    }

    /// Safety: stream user data is a stream that `open` keeps alive until nghttp2 has closed it.
    private static func stream(_ session: OpaquePointer?, _ streamID: Int32) -> ServerStream? {
        nghttp2_session_get_stream_user_data(session, streamID)
            .map { Unmanaged<ServerStream>.fromOpaque($0).takeUnretainedValue() }
    }

    private func streamOpened(_ streamID: Int32) -> ServerStream {
        let stream = self.spare.popLast() ?? ServerStream()
        stream.reset(streamID: streamID)
        self.open[streamID] = stream
        self.receiving = stream
        self.receivingHeaderBytes = 0
        return stream
    }

    private func headerReceived(
        streamID: Int32,
        name: UnsafeRawBufferPointer,
        value: UnsafeRawBufferPointer
    ) -> Int32 {
        self.receivingHeaderBytes += name.count + value.count + 32
        guard self.receivingHeaderBytes <= self.configuration.headerBytesMax else {
            return NGHTTP2_ERR_CALLBACK_FAILURE.rawValue
        }
        // Trailers come after another stream's block, or for a stream that is gone: of no interest here.
        guard let stream = self.receiving, stream.streamID == streamID else { return 0 }
        stream.append(name: name, value: value)
        return 0
    }

    private func requestEnded(_ stream: ServerStream) {
        guard !stream.isListed else { return }
        stream.isListed = true
        self.complete.append(stream)
    }

    private func streamClosed(_ streamID: Int32) {
        guard let stream = self.open.removeValue(forKey: streamID) else { return }
        if self.receiving === stream { self.receiving = nil }
        stream.isClosed = true
        self.unsentBytes -= stream.answerBody.count - stream.answerSent
        // A listed one goes back when the list is taken.
        if !stream.isListed { self.spare.append(stream) }
    }
}
