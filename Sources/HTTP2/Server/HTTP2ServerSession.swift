import CNGHTTP2
import CShims

/// The server's side of one HTTP/2 connection, without a socket.
///
/// ```swift
/// let session = try HTTP2ServerSession(configuration: .init())
/// // per read of the socket (plaintext from a TLSSession):
/// try session.receive(plaintext)
/// session.takeRequests { request in … remember request.streamID and what is needed of it … }
/// // at once, or at any later time on the same loop:
/// try session.respond(streamID: id, status: 200, fields: [HeaderField("apns-id", "…")], body: [])
/// // then send what has arisen:
/// while case let n = try session.drain(into: buffer, threshold: 15_000), n > 0 { encrypt and write n bytes }
/// if session.isFinished { close the socket }
/// ```
/// `buffer` needs ``frameBytesMax`` bytes above the threshold. Requests are handed out whole, after END_STREAM.
/// Answering a stream that is gone has no effect. Confined to one thread (an event loop).
public final class HTTP2ServerSession {
    /// Sizes and limits.
    public struct Configuration: Sendable {
        /// The limit of streams in the first SETTINGS; ``changeMaxConcurrentStreams(_:)`` changes it later.
        public var maxConcurrentStreams: UInt32 = 1000
        /// The most bytes kept of a request's body.
        public var bodyBytesMax = 65_536
        /// Header bytes of one request above which the connection counts as attacked.
        public var headerBytesMax = 65_536
        /// The bytes that the client may send on the connection without a WINDOW_UPDATE.
        public var connectionWindowBytes: Int32 = 1 << 24
        /// The RST_STREAM frames of a client that are tolerated at once; see ``resetsPerSecond``.
        public var resetBurst: UInt64 = 1000
        /// The RST_STREAM frames of a client that are tolerated per second.
        public var resetsPerSecond: UInt64 = 33
        /// The most memory that the session keeps for later requests, in bytes; the rest is freed.
        public var keptBytesMax = Int.max

        /// Creates the default configuration.
        public init() {}
    }

    let configuration: Configuration
    /// The streams that nghttp2 knows, by id; keeps them alive.
    var open: [Int32: ServerStream] = [:]
    var spare: [ServerStream] = []
    var complete: [ServerStream] = []
    var receiving: ServerStream?
    var receivingHeaderBytes = 0
    /// Requests whose header fields are complete and whose bodies are not.
    var heads: [ServerStream] = []
    /// Memory of all streams in bytes, including spare ones.
    var streamBytes = 0
    /// Bytes of answers' bodies that are not sent yet, which the server must keep for the client.
    public internal(set) var unsentBytes = 0
    /// The part of ``unsentBytes`` that others hold too.
    public internal(set) var sharedUnsentBytes = 0
    /// The limit of ``heldBytes``: bytes that the client sends beyond it are dropped.
    public var heldBytesMax = Int.max
    /// True if bytes were dropped for lack of memory: requests are incomplete, and the connection must be ended.
    public internal(set) var isOverBudget = false
    /// The number of streams that this side has reset, for any reason.
    public internal(set) var ownResets = 0
    /// The driver's clock, with which streams are stamped; see ``forEachOpen(_:)``.
    public var now: Int64 = 0

    /// Nil only while init runs: nghttp2 needs the address of its owner.
    private var handle: SessionHandle?
    private var scratch: [UInt8] = []

    /// Creates a session with the server's SETTINGS ready to be sent.
    public init(configuration: Configuration = Configuration()) throws(HTTP2Error) {
        self.configuration = configuration
        var limits = SessionLimits()
        limits.resetBurst = configuration.resetBurst
        limits.resetsPerSecond = configuration.resetsPerSecond
        limits.keptBytesMax = configuration.keptBytesMax
        let handle = try SessionHandle.make(
            owner: Unmanaged.passUnretained(self).toOpaque(),
            limits: limits,
            callbacks: HTTP2ServerSession.install
        )
        try handle.begin(
            settings: [
                (NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, configuration.maxConcurrentStreams),
                (NGHTTP2_SETTINGS_MAX_HEADER_LIST_SIZE, UInt32(clamping: configuration.headerBytesMax)),
            ],
            connectionWindowBytes: configuration.connectionWindowBytes
        )
        self.handle = consume handle
    }

    deinit {
        // First: nghttp2 must be gone before the streams that it points to.
        handle = nil
    }

    private var session: OpaquePointer {
        guard let pointer = handle?.pointer else { preconditionFailure("a session without nghttp2") }
        return pointer
    }

    // MARK: Bytes

    /// Processes plaintext from the client.
    ///
    /// After a throw the connection is over.
    public func receive(_ bytes: UnsafeRawBufferPointer) throws(HTTP2Error) {
        try handle?.receive(bytes)
    }

    /// Fills `buffer` with frames until `threshold` bytes are reached or none is left; returns the bytes filled.
    public func drain(into buffer: UnsafeMutableRawBufferPointer, threshold: Int) throws(HTTP2Error) -> Int {
        guard let count = try handle?.drain(into: buffer, threshold: threshold) else { return 0 }
        return count
    }

    /// The room above the threshold that ``drain(into:threshold:)`` needs.
    public static var frameBytesMax: Int { SessionHandle.frameBytesMax }

    /// True if there is anything to send.
    public var hasPendingBytes: Bool { handle?.hasPendingBytes ?? false }

    /// True if neither side has anything more to send: close the socket.
    public var isFinished: Bool { handle?.isFinished ?? true }

    /// The number of open streams.
    public var openStreams: Int { open.count }

    /// Memory that the connection holds, in bytes: requests as far as received, unshared answers, nghttp2's tables and
    /// frames.
    public var heldBytes: Int {
        streamBytes + unsentBytes - sharedUnsentBytes + (handle?.heldBytes ?? 0)
    }

    /// The phase of an open stream, named after what it waits for.
    public enum Phase: Sendable {
        /// The client's request is incomplete; `received` counts its bytes so far.
        case request(received: Int)
        /// The request is being answered.
        case answer
        /// The client has not accepted all of its answer; `unsent` counts the remaining bytes.
        case taking(unsent: Int)
        /// The client has its answer but has not ended its request.
        case rest
    }

    /// Visits every open stream with its phase and the instant (of ``now``) at which that phase began.
    public func forEachOpen(_ visit: (_ streamID: Int32, _ phase: Phase, _ since: Int64) -> Void) {
        for (streamID, stream) in open {
            if stream.isAnswered {
                visit(streamID, .rest, stream.since)
            } else if stream.answer != nil {
                visit(streamID, .taking(unsent: stream.unsentBytes), stream.since)
            } else {
                let received = stream.fieldBytes.count + stream.body.count
                visit(streamID, stream.hasEnded ? .answer : .request(received: received), stream.since)
            }
        }
    }

    func noteUnsent(_ change: Int, isShared: Bool) {
        unsentBytes += change
        if isShared { sharedUnsentBytes += change }
    }

    /// The most streams that are kept for later requests where memory is counted.
    private static let spareMax = 64

    /// Keeps a closed stream for reuse, within the limits.
    func keep(_ stream: ServerStream) {
        if configuration.keptBytesMax < Int.max {
            let before = stream.heldBytes
            guard spare.count < Self.spareMax else {
                streamBytes -= before
                return
            }
            stream.shrink()
            streamBytes += stream.heldBytes - before
        }
        spare.append(stream)
    }

    // MARK: Requests

    /// Hands out every request whose header fields came since the last call and whose body is incomplete, before more
    /// of its body is kept.
    ///
    /// A request for which `isWanted` returns false keeps no body, and ``takeRequests(_:)`` does not hand it out:
    /// answer it here.
    public func takeHeads(_ isWanted: (borrowing IncomingRequest) -> Bool) {
        guard !heads.isEmpty else { return }
        var taken: [ServerStream] = []
        swap(&taken, &heads)
        for stream in taken where !stream.isClosed {
            guard !isWanted(IncomingRequest(stream)) else { continue }
            stream.isRefused = true
            let before = stream.heldBytes
            stream.body = []
            streamBytes += stream.heldBytes - before
        }
    }

    /// Hands out every request that became complete since the last call, in the order of completion.
    ///
    /// `body` may call ``respond(streamID:status:fields:body:)`` and the like.
    public func takeRequests(_ body: (borrowing IncomingRequest) -> Void) {
        guard !complete.isEmpty else { return }
        var taken: [ServerStream] = []
        swap(&taken, &complete)
        for stream in taken {
            stream.isListed = false
            if stream.isClosed {
                keep(stream)
            } else if !stream.isRefused {
                body(IncomingRequest(stream))
            }
        }
        // Reuses the array's memory.
        if complete.isEmpty {
            taken.removeAll(keepingCapacity: true)
            swap(&taken, &complete)
        }
    }

    /// Answers a request, with `body` unless it is empty.
    ///
    /// Has no effect when the stream is gone. `fields` have lower-case names; all bytes are copied.
    public func respond(
        streamID: Int32,
        status: Int,
        fields: [HeaderField] = [],
        body: [UInt8] = []
    ) throws(HTTP2Error) {
        let bytes = body.isEmpty ? nil : OwnAnswerBytes(body)
        try respond(streamID: streamID, status: status, fields: fields, bytes: bytes)
    }

    /// Answers a request with bytes that are read as the client accepts them; nil means no body.
    ///
    /// Has no effect when the stream is gone.
    public func respond(
        streamID: Int32,
        status: Int,
        fields: [HeaderField] = [],
        bytes: (any AnswerBytes)?
    ) throws(HTTP2Error) {
        guard let stream = open[streamID] else { return }
        precondition((200...999).contains(status), "\(status) is no final status")
        let isEmpty = (bytes?.count ?? 0) == 0
        stream.answer = bytes
        stream.since = now
        noteUnsent(bytes?.count ?? 0, isShared: bytes?.isShared ?? false)
        let result = withPairs(status: status, fields: fields) { pairs, count -> Int32 in
            guard !isEmpty else {
                return nghttp2_submit_response(session, streamID, pairs, count, nil)
            }
            var provider = nghttp2_data_provider()
            provider.source.ptr = Unmanaged.passUnretained(stream).toOpaque()
            provider.read_callback = HTTP2ServerSession.readBody
            return nghttp2_submit_response(session, streamID, pairs, count, &provider)
        }
        guard result == 0 else { throw HTTP2Error.from(Int(result), doing: "answering") }
    }

    /// Sends only a header block and never an end, as a stalled server does.
    ///
    /// For simulators.
    public func respondWithoutEnd(streamID: Int32, status: Int, fields: [HeaderField] = []) throws(HTTP2Error) {
        guard open[streamID] != nil else { return }
        let result = withPairs(status: status, fields: fields) { pairs, count in
            nghttp2_submit_headers(
                session,
                UInt8(NGHTTP2_FLAG_NONE.rawValue),
                streamID,
                nil,
                pairs,
                count,
                nil
            )
        }
        guard result >= 0 else { throw HTTP2Error.from(Int(result), doing: "answering") }
    }

    /// Resets a stream with a code of ``HTTP2ErrorCode``.
    ///
    /// Has no effect when the stream is gone.
    public func reset(streamID: Int32, code: UInt32) throws(HTTP2Error) {
        guard open[streamID] != nil else { return }
        try handle?.reset(streamID: streamID, code: code)
    }

    // MARK: Connection

    /// Announces a shutdown (GOAWAY with 2³¹−1): the client stops opening streams, and none is lost.
    public func announceShutdown() throws(HTTP2Error) {
        let result = nghttp2_submit_shutdown_notice(session)
        guard result == 0 else { throw HTTP2Error.from(Int(result), doing: "GOAWAY") }
    }

    /// Sends GOAWAY.
    ///
    /// Streams above `lastStreamID` (default: the last one that came) are dropped; the others go on.
    public func goAway(
        lastStreamID: Int32? = nil,
        code: UInt32 = HTTP2ErrorCode.noError,
        debugData: [UInt8] = []
    ) throws(HTTP2Error) {
        let last = lastStreamID ?? nghttp2_session_get_last_proc_stream_id(session)
        try handle?.goAway(lastStreamID: last, code: code, debugData: debugData)
    }

    /// Changes the number of streams that the client may have open at once; 0 means none.
    public func changeMaxConcurrentStreams(_ count: UInt32) throws(HTTP2Error) {
        try handle?.submit(settings: [(NGHTTP2_SETTINGS_MAX_CONCURRENT_STREAMS, count)])
    }

    /// Sends a PING.
    public func ping() throws(HTTP2Error) { try handle?.ping() }

    /// Calls nghttp2 with name/value pairs over one scratch buffer, which it copies inside the call.
    private func withPairs(
        status: Int,
        fields: [HeaderField],
        _ body: (UnsafePointer<nghttp2_nv>?, Int) -> Int32
    ) -> Int32 {
        scratch.removeAll(keepingCapacity: true)
        scratch.append(contentsOf: ":status".utf8)
        scratch.append(UInt8(ascii: "0") + UInt8(status / 100))
        scratch.append(UInt8(ascii: "0") + UInt8(status / 10 % 10))
        scratch.append(UInt8(ascii: "0") + UInt8(status % 10))
        for field in fields {
            scratch.append(contentsOf: field.name)
            scratch.append(contentsOf: field.value)
        }
        return scratch.withUnsafeMutableBufferPointer { bytes -> Int32 in
            withUnsafeTemporaryAllocation(of: nghttp2_nv.self, capacity: fields.count + 1) { pairs -> Int32 in
                var cursor = bytes.baseAddress
                func pair(_ name: Int, _ value: Int, _ indexing: HeaderField.Indexing) -> nghttp2_nv {
                    defer { cursor = cursor.map { $0 + name + value } }
                    let flag = indexing == .indexed ? NGHTTP2_NV_FLAG_NONE : NGHTTP2_NV_FLAG_NO_INDEX
                    return nghttp2_nv(
                        name: cursor,
                        value: cursor.map { $0 + name },
                        namelen: name,
                        valuelen: value,
                        flags: UInt8(flag.rawValue)
                    )
                }
                pairs.initializeElement(at: 0, to: pair(7, 3, .indexed))
                for (index, field) in fields.enumerated() {
                    pairs.initializeElement(
                        at: index + 1,
                        to: pair(field.name.count, field.value.count, field.indexing)
                    )
                }
                return body(UnsafePointer(pairs.baseAddress), fields.count + 1)
            }
        }
    }
}
