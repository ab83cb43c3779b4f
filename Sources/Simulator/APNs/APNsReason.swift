/// Why APNs refuses a request: the `reason` of its answer's body.
///
/// Source: Apple, "Handling notification responses from APNs", with the spellings that the live service uses.
public enum APNsReason: String, Sendable, CaseIterable {
    /// The collapse identifier is empty or longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// The token is not one of this environment, or no token at all.
    case badDeviceToken = "BadDeviceToken"
    /// `apns-expiration` is not a number of seconds.
    case badExpirationDate = "BadExpirationDate"
    /// `apns-id` is not a canonical UUID.
    case badMessageID = "BadMessageId"
    /// `apns-priority` is not 1, 5 or 10, or not what the push type allows.
    case badPriority = "BadPriority"
    /// `apns-topic` cannot be a topic.
    case badTopic = "BadTopic"
    /// The token belongs to another app.
    case deviceTokenNotForTopic = "DeviceTokenNotForTopic"
    /// A header came twice.
    case duplicateHeaders = "DuplicateHeaders"
    /// The connection was idle; only in a GOAWAY.
    case idleTimeout = "IdleTimeout"
    /// `apns-push-type` is unknown or does not match the payload.
    case invalidPushType = "InvalidPushType"
    /// The path ends before the token.
    case missingDeviceToken = "MissingDeviceToken"
    /// `apns-topic` is absent and the certificate does not give one.
    case missingTopic = "MissingTopic"
    /// No body, or one that is no payload.
    case payloadEmpty = "PayloadEmpty"
    /// This key or certificate may not send to the topic.
    case topicDisallowed = "TopicDisallowed"
    /// The client certificate is not one of this app's.
    case badCertificate = "BadCertificate"
    /// The client certificate is for the other environment.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// The signing key is for the other environment (the live spelling; Apple's page says BadEnvironmentKeyIdInToken).
    case badEnvironmentKey = "BadEnvironmentKeyInToken"
    /// The provider token is older than an hour.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The action is not allowed.
    case forbidden = "Forbidden"
    /// The provider token cannot be read, is not signed by a known key, or is of the future.
    case invalidProviderToken = "InvalidProviderToken"
    /// Neither a client certificate nor an `authorization`.
    case missingProviderToken = "MissingProviderToken"
    /// The key has nothing to do with the one that the connection began with.
    case unrelatedKey = "UnrelatedKeyIdInToken"
    /// The path is not `/3/device/<token>`.
    case badPath = "BadPath"
    /// The method is not POST.
    case methodNotAllowed = "MethodNotAllowed"
    /// The token expired.
    case expiredToken = "ExpiredToken"
    /// The device is gone from the topic.
    case unregistered = "Unregistered"
    /// The payload is above 4096 bytes (VoIP: 5120).
    case payloadTooLarge = "PayloadTooLarge"
    /// The provider token changed sooner than 20 minutes after the last one.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// Too many requests to the same device.
    case tooManyRequests = "TooManyRequests"
    /// A fault of the service.
    case internalServerError = "InternalServerError"
    /// The service is not available.
    case serviceUnavailable = "ServiceUnavailable"
    /// The server is stopping.
    case shutdown = "Shutdown"

    /// The HTTP status that the reason comes with.
    public var status: Int {
        switch self {
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .topicDisallowed:
            400
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKey, .expiredProviderToken, .forbidden,
            .invalidProviderToken, .missingProviderToken, .unrelatedKey:
            403
        case .badPath: 404
        case .methodNotAllowed: 405
        case .expiredToken, .unregistered: 410
        case .payloadTooLarge: 413
        case .tooManyProviderTokenUpdates, .tooManyRequests: 429
        case .internalServerError: 500
        case .serviceUnavailable, .shutdown: 503
        }
    }
}
