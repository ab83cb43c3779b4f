import CNGHTTP2
import CShims

/// Owns the `nghttp2_session` of a server session: bytes in, bytes out.
struct SessionHandle: ~Copyable {
    let pointer: OpaquePointer
    /// The session's memory, which outlives it.
    private let pool: OpaquePointer

    /// The largest piece that one call of nghttp2 lends: a frame of the default maximum size with its header.
    static let frameBytesMax = 16_384 + 9 + 16

    deinit {
        nghttp2_session_del(pointer)
        c_nghttp2_pool_del(pool)
    }

    /// Creates a session; `owner` must outlive it (Safety: it is the object that stores this handle).
    static func make(
        owner: UnsafeMutableRawPointer,
        limits: SessionLimits,
        callbacks install: (OpaquePointer) -> Void
    ) throws(HTTP2Error) -> SessionHandle {
        var callbacks: OpaquePointer?
        var option: OpaquePointer?
        var session: OpaquePointer?
        guard nghttp2_session_callbacks_new(&callbacks) == 0, let callbacks else {
            throw HTTP2Error(.internalFailure, "HTTP/2: out of memory")
        }
        defer { nghttp2_session_callbacks_del(callbacks) }
        guard nghttp2_option_new(&option) == 0, let option else {
            throw HTTP2Error(.internalFailure, "HTTP/2: out of memory")
        }
        defer { nghttp2_option_del(option) }
        install(callbacks)
        limits.apply(to: option)
        guard let pool = c_nghttp2_pool_new() else {
            throw HTTP2Error(.internalFailure, "HTTP/2: out of memory")
        }
        c_nghttp2_pool_keep(pool, limits.keptBytesMax)
        // nghttp2 copies this table of functions.
        var memory = c_nghttp2_pool_mem(pool)
        guard nghttp2_session_server_new3(&session, callbacks, owner, option, &memory) == 0, let session else {
            c_nghttp2_pool_del(pool)
            throw HTTP2Error(.internalFailure, "HTTP/2: out of memory")
        }
        return SessionHandle(pointer: session, pool: pool)
    }

    /// The bytes that nghttp2 holds for the session: tables, streams, frames that wait to be sent.
    var heldBytes: Int { Int(c_nghttp2_pool_held(pool)) }

    /// Passes the peer's bytes to nghttp2, which runs the callbacks.
    func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        let taken = nghttp2_session_mem_recv(
            pointer,
            base.assumingMemoryBound(to: UInt8.self),
            bytes.count
        )
        guard taken >= 0 else { throw HTTP2Error.from(taken, doing: "receiving") }
    }

    /// Appends frames to `buffer` until `threshold` bytes are reached or nothing is left; returns the bytes filled.
    ///
    /// `buffer` needs ``frameBytesMax`` of room above `threshold`, because frames are not split.
    func drain(into buffer: UnsafeMutableRawBufferPointer, threshold: Int) throws(HTTP2Error) -> Int {
        precondition(
            buffer.count >= threshold + SessionHandle.frameBytesMax,
            "a buffer of \(buffer.count) bytes has no room for a frame above \(threshold)"
        )
        guard let base = buffer.baseAddress else { return 0 }
        var filled = 0
        while filled < threshold {
            var lent: UnsafePointer<UInt8>?
            let count = nghttp2_session_mem_send(pointer, &lent)
            guard count >= 0 else { throw HTTP2Error.from(count, doing: "sending") }
            guard count > 0, let lent else { break }
            precondition(count <= buffer.count - filled, "nghttp2 lent a piece of \(count) bytes")
            (base + filled).copyMemory(from: lent, byteCount: count)
            filled += count
        }
        return filled
    }

    var hasPendingBytes: Bool { nghttp2_session_want_write(pointer) != 0 }

    /// True if neither side has anything more to send: the socket may be closed.
    var isFinished: Bool {
        nghttp2_session_want_read(pointer) == 0 && nghttp2_session_want_write(pointer) == 0
    }

    /// Sends SETTINGS and widens the connection's window.
    func begin(settings: [(nghttp2_settings_id, UInt32)], connectionWindowBytes: Int32) throws(HTTP2Error) {
        try submit(settings: settings)
        let widened = nghttp2_session_set_local_window_size(
            pointer,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            0,
            connectionWindowBytes
        )
        guard widened == 0 else { throw HTTP2Error.from(Int(widened), doing: "setting the window") }
    }

    func submit(settings: [(nghttp2_settings_id, UInt32)]) throws(HTTP2Error) {
        let entries = settings.map { nghttp2_settings_entry(settings_id: Int32($0.0.rawValue), value: $0.1) }
        let result = nghttp2_submit_settings(
            pointer,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            entries,
            entries.count
        )
        guard result == 0 else { throw HTTP2Error.from(Int(result), doing: "SETTINGS") }
    }

    func ping() throws(HTTP2Error) {
        let result = nghttp2_submit_ping(pointer, UInt8(NGHTTP2_FLAG_NONE.rawValue), nil)
        guard result == 0 else { throw HTTP2Error.from(Int(result), doing: "PING") }
    }

    func reset(streamID: Int32, code: UInt32) throws(HTTP2Error) {
        let result = nghttp2_submit_rst_stream(
            pointer,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            streamID,
            code
        )
        guard result == 0 else { throw HTTP2Error.from(Int(result), doing: "RST_STREAM") }
    }

    func goAway(lastStreamID: Int32, code: UInt32, debugData: [UInt8]) throws(HTTP2Error) {
        let result = nghttp2_submit_goaway(
            pointer,
            UInt8(NGHTTP2_FLAG_NONE.rawValue),
            lastStreamID,
            code,
            debugData,
            debugData.count
        )
        guard result == 0 else { throw HTTP2Error.from(Int(result), doing: "GOAWAY") }
    }
}

/// The limits of a peer's demands, above which it counts as an attacker.
struct SessionLimits {
    /// The most SETTINGS and PING acknowledgements waiting to be sent (nghttp2's own default is 1,000).
    var acknowledgementsMax = 200
    /// RST_STREAM frames of a peer: the burst, then the rate per second (Debian's default, against rapid reset).
    var resetBurst: UInt64 = 1000
    var resetsPerSecond: UInt64 = 33
    /// The most memory that a session keeps for its next requests; the rest is freed.
    var keptBytesMax = Int.max

    func apply(to option: OpaquePointer) {
        nghttp2_option_set_max_outbound_ack(option, acknowledgementsMax)
        nghttp2_option_set_stream_reset_rate_limit(option, resetBurst, resetsPerSecond)
        // Closed streams have no use without priorities; they would only take memory.
        nghttp2_option_set_no_closed_streams(option, 1)
    }
}
