public import Delivery
public import HTTP2

/// The supplier of a pool's requests, to which the pool reports their ends.
///
/// Called on the pool's loop only.
///
/// For every request that ``nextRequest(_:)`` filled, the pool calls exactly one of ``answered(tag:answer:)`` and
/// ``unanswered(tag:reason:)``, in any order. None of these may block. They may call ``ProviderPool/demandChanged()``
/// and ``ProviderPool/retireConnection(_:)``.
public protocol RequestSource: AnyObject {
    /// Reports that a loop tick is about to ask for requests; a clock that was read for its answers may be old.
    func openingBegan()
    /// Fills one request; returns false when there is none now.
    ///
    /// Call ``ProviderPool/demandChanged()`` when there are requests again. The pool calls this in each loop tick,
    /// after all reads, for as many streams as are free.
    func nextRequest(_ request: inout RequestWriter) -> Bool
    /// Reports an answer, whatever its status; `answer` is valid during the call.
    func answered(tag: UInt64, answer: borrowing ProviderAnswer)
    /// Reports that a request ended without an answer.
    func unanswered(tag: UInt64, reason: Unanswered)
    /// Reports the end of a loop tick with reads or requests; collected results can be passed on here.
    func tickEnded()
    /// Reports that a connection could not be made or gave no answer, which counts for a breaker.
    func connectionFailed(_ failure: ConnectionFailure)
}

/// The outcome of a request that got no answer.
public enum Unanswered: Sendable, Equatable {
    /// The request is known not to have been processed: send it again; the attempt is not charged.
    case refused
    /// The request may have been processed: `on_unknown` decides.
    case unknown(UnknownReason)

    /// The reason why there is no answer.
    public enum UnknownReason: Sendable, Equatable, CustomStringConvertible {
        /// No answer came in time.
        case deadline
        /// The provider reset the stream with this code (see `HTTP2ErrorCode`).
        case reset(code: UInt32)
        /// The connection ended.
        case connectionLost

        /// The reason for people.
        public var description: String {
            switch self {
            case .deadline: "the deadline passed"
            case .reset(let code): "it reset the stream with code \(code)"
            case .connectionLost: "the connection ended"
            }
        }
    }
}

/// The reason why a connection is unusable.
public enum ConnectionFailure: Sendable, Equatable, CustomStringConvertible {
    /// The host name has no address, or resolving it failed.
    case resolution(String)
    /// The host name has addresses, and ``ProviderPoolConfiguration/scope`` allows none of them.
    case outOfScope(String)
    /// TCP or TLS failed, or the peer's certificate did not verify; the text gives the reason.
    case connect(String)
    /// TCP, TLS or the first SETTINGS took too long.
    case handshakeDeadline
    /// The provider refused the first request of a connection without processing it.
    case firstStreamRefused

    /// The reason for people.
    public var description: String {
        switch self {
        case .resolution(let detail): "its name cannot be looked up: \(detail)"
        case .outOfScope(let detail), .connect(let detail): detail
        case .handshakeDeadline: "no TLS or HTTP/2 in time"
        case .firstStreamRefused: "it refuses requests"
        }
    }
}

/// A provider's answer.
///
/// Valid only inside the call that hands it out: copy any part that you keep.
public struct ProviderAnswer: ~Copyable {
    /// The status, 200 to 999.
    public let status: UInt16
    /// The value of `retry-after`, empty when absent.
    public let retryAfter: UnsafeRawBufferPointer
    /// The value of `date`, empty when absent.
    public let date: UnsafeRawBufferPointer
    /// The value of `apns-channel-id`, empty when absent.
    public let channelID: UnsafeRawBufferPointer
    /// The body, at most ``ProviderPoolConfiguration/answerBytesMax``.
    public let body: UnsafeRawBufferPointer
    /// The connection that carried it, for ``ProviderPool/retireConnection(_:)``.
    public let connection: ConnectionPool.ConnectionID
    /// Nanoseconds from opening the stream to the answer.
    public let nanoseconds: Int64

    init(_ end: borrowing StreamEnd, connection: ConnectionPool.ConnectionID, now: Int64) {
        self.status = end.status
        self.retryAfter = end.retryAfter
        self.date = end.date
        self.channelID = end.channelID
        self.body = end.body
        self.connection = connection
        self.nanoseconds = now - end.submittedAt
    }
}
