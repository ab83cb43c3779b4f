public import Delivery
public import HTTP2

/// Where a pool gets its requests from, and whom it tells how they ended.
///
/// Called on the pool's loop only.
///
/// For every request that ``nextRequest(_:)`` filled, exactly one of ``answered(tag:answer:)`` and
/// ``unanswered(tag:reason:)`` is called, in any order. None of these may block. They may call
/// ``ProviderPool/demandChanged()`` and ``ProviderPool/retireConnection(_:)``.
public protocol RequestSource: AnyObject {
    /// Fills one request; false when there is none now (call ``ProviderPool/demandChanged()`` when there is again).
    ///
    /// Called once per loop turn, after all reads, for as many streams as are free.
    func nextRequest(_ request: inout RequestWriter) -> Bool
    /// The provider answered, whatever the status. `answer` is valid during the call.
    func answered(tag: UInt64, answer: borrowing ProviderAnswer)
    /// The request ended without an answer.
    func unanswered(tag: UInt64, reason: Unanswered)
    /// A loop turn with reads or requests is over: the place to hand on what was collected.
    func turnEnded()
    /// A connection could not be made, or gave nothing: what a breaker counts.
    func connectionFailed(_ failure: ConnectionFailure)
}

/// What is known of a request that got no answer.
public enum Unanswered: Sendable, Equatable {
    /// Known not to have been processed: send it again, the attempt is not charged.
    case refused
    /// It may have been processed: `on_unknown` decides.
    case unknown(UnknownReason)

    /// Why there is no answer.
    public enum UnknownReason: Sendable, Equatable {
        /// Nothing came in time.
        case deadline
        /// The provider reset the stream with this code (see `HTTP2ErrorCode`).
        case reset(code: UInt32)
        /// The connection ended.
        case connectionLost
    }
}

/// Why a connection is of no use.
public enum ConnectionFailure: Sendable, Equatable {
    /// The host name has no address, or it cannot be looked up.
    case resolution(String)
    /// The host name has addresses, and ``ProviderPoolConfiguration/reach`` allows none of them.
    case outOfReach(String)
    /// TCP or TLS failed, or the peer's certificate did not verify; the text says what.
    case connect(String)
    /// TCP, TLS or the first SETTINGS took too long.
    case handshakeDeadline
    /// The provider refused the first request of a connection without looking at it.
    case firstStreamRefused
}

/// A provider's answer.
///
/// Valid only inside the call that hands it out: copy what is to be kept.
public struct ProviderAnswer: ~Copyable {
    /// 200 to 999.
    public let status: UInt16
    /// The value of `retry-after`, empty when absent.
    public let retryAfter: UnsafeRawBufferPointer
    /// The value of `date`, empty when absent.
    public let date: UnsafeRawBufferPointer
    /// The value of `apns-id`, empty when absent.
    public let apnsID: UnsafeRawBufferPointer
    /// At most 4 KiB of the body.
    public let body: UnsafeRawBufferPointer
    /// The body was longer, or the stream ended in the middle of it.
    public let isTruncated: Bool
    /// The connection that it came on, for ``ProviderPool/retireConnection(_:)``.
    public let connection: ConnectionPool.ConnectionID
    /// Nanoseconds from opening the stream to the answer.
    public let nanoseconds: Int64

    init(_ end: borrowing StreamEnd, connection: ConnectionPool.ConnectionID, now: Int64) {
        self.status = end.status
        self.retryAfter = end.retryAfter
        self.date = end.date
        self.apnsID = end.apnsID
        self.body = end.body
        self.isTruncated = end.isTruncated
        self.connection = connection
        self.nanoseconds = now - end.submittedAt
    }
}
