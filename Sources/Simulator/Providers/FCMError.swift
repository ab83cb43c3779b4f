/// The error with which FCM refuses a message, as rules (`--fault rules=dA=UNREGISTERED`) and statistics name it.
///
/// Source: Firebase, REST reference, `ErrorCode`; status words by `google.rpc.Code`. The names also distinguish the
/// three quotas, and an invalid token from other invalid arguments: FCM tells these apart only in the error's details.
public enum FCMError: String, Sendable, CaseIterable {
    /// The app instance is gone.
    case unregistered = "UNREGISTERED"
    /// The token belongs to another project.
    case senderIDMismatch = "SENDER_ID_MISMATCH"
    /// The project has exceeded its quota per minute.
    case projectQuota = "QUOTA_EXCEEDED-project"
    /// The device was sent too many messages.
    case deviceQuota = "QUOTA_EXCEEDED-device"
    /// The topic was sent too many messages.
    case topicQuota = "QUOTA_EXCEEDED-topic"
    /// A fault of the service.
    case internalError = "INTERNAL"
    /// The service is overloaded.
    case unavailable = "UNAVAILABLE"
    /// The project's APNs certificate or web push key is bad.
    case thirdPartyAuth = "THIRD_PARTY_AUTH_ERROR"
    /// The token is invalid.
    case invalidToken = "INVALID_ARGUMENT-token"
    /// The message is invalid.
    case invalidMessage = "INVALID_ARGUMENT-message"
    /// The error is not specified.
    case unspecified = "UNSPECIFIED_ERROR"
    /// The access token is missing, unknown or expired. Without an FCM error code.
    case unauthenticated = "UNAUTHENTICATED"
    /// The account may not send for the project. Without an FCM error code.
    case permissionDenied = "PERMISSION_DENIED"
    /// There is no such path. Without an FCM error code.
    case notFound = "NOT_FOUND"

    /// The HTTP status.
    public var status: Int {
        switch self {
        case .invalidToken, .invalidMessage: 400
        case .thirdPartyAuth, .unauthenticated: 401
        case .senderIDMismatch, .permissionDenied: 403
        case .unregistered, .notFound: 404
        case .projectQuota, .deviceQuota, .topicQuota: 429
        case .internalError, .unspecified: 500
        case .unavailable: 503
        }
    }

    /// The value of `error.status`.
    var statusWord: String {
        switch self {
        case .invalidToken, .invalidMessage: "INVALID_ARGUMENT"
        case .thirdPartyAuth, .unauthenticated: "UNAUTHENTICATED"
        case .senderIDMismatch, .permissionDenied: "PERMISSION_DENIED"
        case .unregistered, .notFound: "NOT_FOUND"
        case .projectQuota, .deviceQuota, .topicQuota: "RESOURCE_EXHAUSTED"
        case .internalError: "INTERNAL"
        case .unspecified: "UNKNOWN"
        case .unavailable: "UNAVAILABLE"
        }
    }

    /// The `errorCode` of the FcmError in the details; nil if the request did not reach FCM itself.
    var errorCode: String? {
        switch self {
        case .unauthenticated, .permissionDenied, .notFound: nil
        case .projectQuota, .deviceQuota, .topicQuota: "QUOTA_EXCEEDED"
        case .invalidToken, .invalidMessage: "INVALID_ARGUMENT"
        default: rawValue
        }
    }

    /// The `error.message`, in the wording observed at the live service; the documentation gives no texts.
    var message: String {
        switch self {
        case .unregistered: "Requested entity was not found."
        case .senderIDMismatch: "SenderId mismatch"
        case .projectQuota:
            "Quota exceeded for quota metric 'Message send requests' and limit 'Message send requests per minute' of "
                + "service 'fcm.googleapis.com'."
        case .deviceQuota: "Device message rate exceeded."
        case .topicQuota: "Topic quota exceeded."
        case .internalError: "Internal error encountered."
        case .unspecified: "Unknown error."
        case .unavailable: "The service is currently unavailable."
        case .thirdPartyAuth: "Auth error from APNS or Web Push Service"
        case .invalidToken: "The registration token is not a valid FCM registration token"
        case .invalidMessage: "Request contains an invalid argument."
        case .unauthenticated:
            "Request had invalid authentication credentials. Expected OAuth 2 access token, login cookie or other "
                + "valid authentication credential. See "
                + "https://developers.google.com/identity/sign-in/web/devconsole-project."
        case .permissionDenied: "Permission 'cloudmessaging.messages.create' denied on resource (or it may not exist)."
        case .notFound: "Method not found."
        }
    }
}
