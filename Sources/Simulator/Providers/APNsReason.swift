/// The reason why APNs refuses a request: the `reason` of its answer's body.
///
/// Source: Apple, "Handling notification responses from APNs", with the live service's spellings.
public enum APNsReason: String, Sendable, CaseIterable {
    /// The collapse identifier is empty or longer than 64 bytes.
    case badCollapseID = "BadCollapseId"
    /// The token is not one of this environment, or not a token at all.
    case badDeviceToken = "BadDeviceToken"
    /// `apns-expiration` is not a number of seconds.
    case badExpirationDate = "BadExpirationDate"
    /// `apns-id` is not a canonical UUID.
    case badMessageID = "BadMessageId"
    /// `apns-priority` is not 1, 5 or 10, or the push type does not allow it.
    case badPriority = "BadPriority"
    /// `apns-topic` is not a valid topic.
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
    /// The body is missing or is no payload.
    case payloadEmpty = "PayloadEmpty"
    /// This key or certificate may not send to the topic.
    case topicDisallowed = "TopicDisallowed"
    /// The app may not broadcast.
    case featureNotEnabled = "FeatureNotEnabled"
    /// A request about a channel names none.
    case missingChannelID = "MissingChannelId"
    /// `apns-channel-id` is no Base64.
    case badChannelID = "BadChannelId"
    /// The app has no such channel.
    case channelNotRegistered = "ChannelNotRegistered"
    /// The body of a request about channels has an attribute or a value that Apple does not know.
    case badRequestParams = "BadRequestParams"
    /// The body of a request about channels cannot be read.
    case badRequestPayload = "BadRequestPayload"
    /// `apns-push-type` or `push-type` is absent where it is required.
    case missingPushType = "MissingPushType"
    /// The app has as many channels as it may.
    case cannotCreateChannelConfig = "CannotCreateChannelConfig"
    /// The credential does not cover the bundle identifier in the path.
    case topicMismatch = "TopicMismatch"
    /// The client certificate does not belong to this app.
    case badCertificate = "BadCertificate"
    /// The client certificate is for the other environment.
    case badCertificateEnvironment = "BadCertificateEnvironment"
    /// The signing key is for the other environment (the live spelling; Apple's page says BadEnvironmentKeyIdInToken).
    case badEnvironmentKey = "BadEnvironmentKeyInToken"
    /// The provider token is older than an hour.
    case expiredProviderToken = "ExpiredProviderToken"
    /// The action is not allowed.
    case forbidden = "Forbidden"
    /// The provider token cannot be read, is not signed by a known key, or was issued in the future.
    case invalidProviderToken = "InvalidProviderToken"
    /// The request has neither a client certificate nor an `authorization`.
    case missingProviderToken = "MissingProviderToken"
    /// The key is unrelated to the first key of the connection.
    case unrelatedKey = "UnrelatedKeyIdInToken"
    /// The path is not `/3/device/<token>`.
    case badPath = "BadPath"
    /// The method is not POST.
    case methodNotAllowed = "MethodNotAllowed"
    /// The token expired.
    case expiredToken = "ExpiredToken"
    /// The device no longer receives the topic.
    case unregistered = "Unregistered"
    /// The payload is above 4096 bytes (VoIP: 5120).
    case payloadTooLarge = "PayloadTooLarge"
    /// The provider token changed sooner than 20 minutes after the previous change.
    case tooManyProviderTokenUpdates = "TooManyProviderTokenUpdates"
    /// The device was sent too many requests.
    case tooManyRequests = "TooManyRequests"
    /// A fault of the service.
    case internalServerError = "InternalServerError"
    /// The service is not available.
    case serviceUnavailable = "ServiceUnavailable"
    /// The server is stopping.
    case shutdown = "Shutdown"

    /// The HTTP status of an answer with this reason.
    public var status: Int {
        switch self {
        case .badCollapseID, .badDeviceToken, .badExpirationDate, .badMessageID, .badPriority, .badTopic,
            .deviceTokenNotForTopic, .duplicateHeaders, .idleTimeout, .invalidPushType, .missingDeviceToken,
            .missingTopic, .payloadEmpty, .topicDisallowed, .featureNotEnabled, .missingChannelID, .badChannelID,
            .channelNotRegistered, .badRequestParams, .badRequestPayload, .missingPushType,
            .cannotCreateChannelConfig:
            400
        case .badCertificate, .badCertificateEnvironment, .badEnvironmentKey, .expiredProviderToken, .forbidden,
            .invalidProviderToken, .missingProviderToken, .unrelatedKey, .topicMismatch:
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
