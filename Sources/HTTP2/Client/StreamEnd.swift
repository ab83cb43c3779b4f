/// The end of a request.
///
/// Valid only inside the call that hands it out.
public struct StreamEnd: ~Copyable {
    /// The kinds of a request's end.
    public enum Kind: Sendable, Equatable {
        /// A status came; it is final regardless of later events on the stream.
        case answered
        /// The request is known not to have been processed: refused by the peer, above a GOAWAY's last stream, or never
        /// fully sent.
        case refused
        /// The peer reset the stream without an answer: the request may have been processed.
        case reset(code: UInt32)
        /// No answer came within the deadline: the request may have been processed.
        case deadline
        /// The connection ended without an answer: the request may have been processed.
        case connectionLost
    }

    /// The kind of the end.
    public let kind: Kind

    private let stream: UnsafePointer<ClientStream>

    init(_ stream: UnsafeMutablePointer<ClientStream>, otherwise: Kind) {
        self.stream = UnsafePointer(stream)
        if stream.pointee.status >= 200 {
            kind = .answered
        } else {
            kind = stream.pointee.isSent ? otherwise : .refused
        }
    }

    /// The caller's name for the request.
    public var tag: UInt64 { stream.pointee.tag }
    /// The caller's clock at submission.
    public var submittedAt: Int64 { stream.pointee.submittedAt }
    /// The status, 200 to 999 when answered; otherwise 0 or an interim status.
    public var status: UInt16 { stream.pointee.status }
    /// The value of `retry-after`, empty when absent.
    public var retryAfter: UnsafeRawBufferPointer { stream.pointee.answerBytes(stream.pointee.retryAfter) }
    /// The value of `date`, empty when absent.
    public var date: UnsafeRawBufferPointer { stream.pointee.answerBytes(stream.pointee.date) }
    /// The value of `apns-id`, empty when absent.
    public var apnsID: UnsafeRawBufferPointer { stream.pointee.answerBytes(stream.pointee.apnsID) }
    /// The value of `apns-channel-id`, empty when absent.
    public var channelID: UnsafeRawBufferPointer { stream.pointee.answerBytes(stream.pointee.channelID) }
    /// The answer's body up to the session's cap.
    public var body: UnsafeRawBufferPointer {
        stream.pointee.answerBytes(
            ByteRange(start: ClientStream.fieldBytesMax, count: stream.pointee.answerBodyCount)
        )
    }
}
