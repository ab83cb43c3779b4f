import Campaigns
import PushProviders

extension ProviderSpecimen {
    /// The specimen of Apple's broadcasts ("Handling error responses from Apple Push Notification service").
    static let broadcast = ProviderSpecimen(
        provider: BroadcastProvider(),
        settings: apns.settings,
        files: apns.files,
        secrets: apns.secrets,
        token: "dHN0LXNyY2gtY2hubA==",
        brokenToken: "dHN0-XNyY2gtY2hubA",
        errors: [
            (400, "FeatureNotEnabled", AnswerClass.credential), (400, "BroadcastFeatureNotEnabled", .credential),
            (400, "MissingChannelId", .payloadBad), (400, "BadChannelId", .tokenDead(since: Fixtures.now)),
            (400, "ChannelNotRegistered", .tokenDead(since: Fixtures.now)), (400, "BadRequestParams", .payloadBad),
            (400, "BadRequestPayload", .payloadBad), (400, "PayloadEmpty", .payloadBad),
            (400, "BadMessageId", .payloadBad), (400, "MissingPushType", .payloadBad),
            (400, "InvalidPushType", .payloadBad), (400, "BadExpirationDate", .payloadBad),
            (400, "TopicDisallowed", .credential), (400, "BadPriority", .payloadBad),
            (403, "BadCertificate", .credential), (403, "BadCertificateEnvironment", .credential),
            (403, "TopicMismatch", .credential), (403, "MissingProviderToken", .credential),
            (403, "ExpiredProviderToken", .expiredCredential), (403, "InvalidProviderToken", .expiredCredential),
            (404, "BadPath", .bug), (405, "MethodNotAllowed", .bug), (413, "PayloadTooLarge", .payloadBad),
            (429, "TooManyRequests", .deviceThrottled), (429, "TooManyProviderTokenUpdates", .laneThrottled),
            (500, "InternalServerError", .serviceFault), (503, "ServiceUnavailable", .serviceFault),
            (503, "Shutdown", .connectionFault),
        ].map { DocumentedError(status: $0, body: #"{"reason":"\#($1)"}"#, kind: $2, reason: $1) },
        success: 200,
        isForChannels: true
    )
}
