import CNGHTTP2

/// A failure that ends the connection, because the peer or we broke HTTP/2.
///
/// A single stream's failure is not an error but a ``StreamEnd``.
public struct HTTP2Error: Error, Sendable, Equatable, CustomStringConvertible {
    /// The kind of failure.
    public enum Code: Sendable, Equatable {
        /// The peer sent something that HTTP/2 forbids.
        case protocolViolation
        /// The peer sent more SETTINGS, PINGs, CONTINUATIONs, resets or header bytes than are plausible.
        case flooded
        /// Memory ran out, or a frame that we built cannot be sent.
        case internalFailure
    }

    /// The kind of failure.
    public let code: Code
    /// The failure as text.
    public let message: String

    /// The message.
    public var description: String { message }

    init(_ code: Code, _ message: String) {
        self.code = code
        self.message = message
    }

    /// Returns the error for a negative result of nghttp2.
    static func from(_ result: Int, doing what: String) -> HTTP2Error {
        let number = Int32(truncatingIfNeeded: result)
        let text = nghttp2_strerror(number).map { String(cString: $0) } ?? "error \(number)"
        let code: Code =
            switch number {
            case NGHTTP2_ERR_FLOODED.rawValue, NGHTTP2_ERR_CALLBACK_FAILURE.rawValue,
                NGHTTP2_ERR_TOO_MANY_SETTINGS.rawValue:
                .flooded
            case NGHTTP2_ERR_NOMEM.rawValue: .internalFailure
            default: .protocolViolation
            }
        return HTTP2Error(code, "HTTP/2, \(what): \(text)")
    }
}

/// Error codes of RST_STREAM and GOAWAY (RFC 9113 section 7).
public enum HTTP2ErrorCode {
    /// Nothing is wrong.
    public static let noError: UInt32 = 0
    /// The peer broke the protocol.
    public static let protocolError: UInt32 = 1
    /// The implementation failed.
    public static let internalError: UInt32 = 2
    /// More DATA was sent, or allowed, than a window may hold.
    public static let flowControlError: UInt32 = 3
    /// A frame has a size that its type does not allow.
    public static let frameSizeError: UInt32 = 6
    /// The stream was not processed at all and may be repeated.
    public static let refusedStream: UInt32 = 7
    /// The stream is not needed any more.
    public static let cancel: UInt32 = 8
    /// A header block cannot be decoded.
    public static let compressionError: UInt32 = 9
    /// The peer behaves in a way that may generate excessive load.
    public static let enhanceYourCalm: UInt32 = 11
}

/// A GOAWAY frame of the peer.
public struct GoAway: Sendable, Equatable {
    /// The last processed stream: streams with a higher id were not processed.
    ///
    /// 2³¹−1 announces a shutdown without naming one yet.
    public let lastStreamID: Int32
    /// See ``HTTP2ErrorCode``.
    public let code: UInt32
    /// At most 1 KiB of the peer's debug data (APNs: a JSON object with `reason`).
    public let debugData: [UInt8]
}
