import Campaigns
import PushProviders

extension ProviderSpecimen {
    /// The specimen of Apple ("Handling notification responses from APNs").
    static let apns = ProviderSpecimen(
        provider: APNsProvider(),
        settings: [
            "topic": "com.example.news", "team_id": "ABCDE12345", "key_id": "ABC123DEFG", "key_file": "key.p8",
        ],
        files: ["key.p8": Array("-----BEGIN PRIVATE KEY-----".utf8)],
        secrets: ["BEGIN"],
        token: String(repeating: "aB", count: 32),
        brokenToken: String(repeating: "g", count: 64),
        errors: [
            (400, "BadCollapseId", AnswerClass.payloadBad), (400, "BadDeviceToken", .tokenSuspect),
            (400, "BadExpirationDate", .payloadBad), (400, "BadMessageId", .payloadBad),
            (400, "BadPriority", .payloadBad), (400, "BadTopic", .payloadBad),
            (400, "DeviceTokenNotForTopic", .tokenSuspect), (400, "DuplicateHeaders", .payloadBad),
            (400, "IdleTimeout", .connectionFault), (400, "InvalidPushType", .payloadBad),
            (400, "MissingDeviceToken", .payloadBad), (400, "MissingTopic", .payloadBad),
            (400, "PayloadEmpty", .payloadBad), (400, "TopicDisallowed", .credential),
            (403, "BadCertificate", .credential), (403, "BadCertificateEnvironment", .credential),
            (403, "ExpiredProviderToken", .expiredCredential), (403, "Forbidden", .credential),
            (403, "InvalidProviderToken", .expiredCredential), (403, "MissingProviderToken", .credential),
            (403, "UnrelatedKeyIdInToken", .wrongKeyForConnection),
            (403, "BadEnvironmentKeyIdInToken", .credential), (404, "BadPath", .bug),
            (405, "MethodNotAllowed", .bug), (410, "ExpiredToken", .tokenDead(since: nil)),
            (410, "Unregistered", .tokenDead(since: nil)), (413, "PayloadTooLarge", .payloadBad),
            (429, "TooManyProviderTokenUpdates", .laneThrottled), (429, "TooManyRequests", .deviceThrottled),
            (500, "InternalServerError", .serviceFault), (503, "ServiceUnavailable", .serviceFault),
            (503, "Shutdown", .connectionFault),
        ].map { DocumentedError(status: $0, body: #"{"reason":"\#($1)"}"#, kind: $2, reason: $1) },
        success: 200
    )
}
