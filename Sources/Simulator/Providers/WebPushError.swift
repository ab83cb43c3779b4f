/// The error with which a push service refuses a message, as rules and statistics name it.
///
/// The statuses are from RFC 8030; bodies and numbers (`errno`) are from Mozilla's autopush (`docs/src/errors.md`).
public enum WebPushError: String, Sendable, CaseIterable {
    /// The request is malformed.
    case badRequest = "webpush-400"
    /// There is no VAPID token.
    case unauthorized = "webpush-401"
    /// The VAPID token is invalid, or not of the key that the subscription is restricted to.
    case forbidden = "webpush-403"
    /// There is no such subscription.
    case notFound = "webpush-404"
    /// The subscription has ended.
    case gone = "webpush-410"
    /// The message has more than 4096 bytes.
    case tooLarge = "webpush-413"
    /// The subscription was sent too many messages.
    case tooMany = "webpush-429"
    /// A fault of the service.
    case internalError = "webpush-500"
    /// The service is not available.
    case unavailable = "webpush-503"
    /// A redirect, which no push service sends and no sender may follow.
    case redirect = "webpush-307"

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .badRequest: 400
        case .unauthorized: 401
        case .forbidden: 403
        case .notFound: 404
        case .gone: 410
        case .tooLarge: 413
        case .tooMany: 429
        case .internalError: 500
        case .unavailable: 503
        case .redirect: 307
        }
    }

    /// Autopush's error number, and the name of the status.
    var body: (number: Int, name: String) {
        switch self {
        case .badRequest: (110, "Bad Request")
        case .unauthorized, .forbidden: (109, "Unauthorized")
        case .notFound: (102, "Not Found")
        case .gone: (106, "Gone")
        case .tooLarge: (104, "Payload Too Large")
        case .tooMany: (202, "Too Many Requests")
        case .internalError: (999, "Internal Server Error")
        case .unavailable: (201, "Service Unavailable")
        case .redirect: (999, "Temporary Redirect")
        }
    }
}
