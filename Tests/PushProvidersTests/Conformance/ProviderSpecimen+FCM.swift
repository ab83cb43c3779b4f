import Campaigns
import PushProviders

extension ProviderSpecimen {
    /// The specimen of Google ("ErrorCode" of the FCM v1 reference).
    static let fcm = ProviderSpecimen(
        provider: FCMProvider(),
        settings: ["service_account_file": "news.json"],
        files: ["news.json": FCMFixtures.file()],
        secrets: ["BEGIN", "AAAA"],
        token: FCMFixtures.token,
        brokenToken: "not a \"token\"",
        errors: [
            error(400, "INVALID_ARGUMENT", "INVALID_ARGUMENT", .payloadBad),
            error(404, "NOT_FOUND", "UNREGISTERED", .tokenDead(since: Fixtures.now)),
            error(403, "PERMISSION_DENIED", "SENDER_ID_MISMATCH", .tokenDead(since: Fixtures.now)),
            error(429, "RESOURCE_EXHAUSTED", "QUOTA_EXCEEDED", .laneThrottled, reason: "QUOTA_EXCEEDED project"),
            error(503, "UNAVAILABLE", "UNAVAILABLE", .serviceFault),
            error(500, "INTERNAL", "INTERNAL", .serviceFault),
            error(401, "UNAUTHENTICATED", "THIRD_PARTY_AUTH_ERROR", .credential),
            DocumentedError(
                status: 401,
                body: FCMFixtures.error(401, "UNAUTHENTICATED"),
                kind: .expiredCredential,
                reason: "UNAUTHENTICATED"
            ),
            error(500, "UNKNOWN", "UNSPECIFIED_ERROR", .serviceFault),
        ],
        success: 200
    )

    private static func error(
        _ status: Int,
        _ word: String,
        _ code: String,
        _ kind: AnswerClass,
        reason: String? = nil
    ) -> DocumentedError {
        let body = FCMFixtures.error(status, word, details: [FCMFixtures.fcm(code)])
        return DocumentedError(status: status, body: body, kind: kind, reason: reason ?? code)
    }
}
