import Campaigns

/// Apple's statuses and reasons (`push-protocols.md`, C1.5) as classes of answers (C5).
enum APNsAnswers {
    private struct Known {
        let status: Int
        let reason: String
        let kind: AnswerClass
    }

    /// Reasons whose class differs from that of their status; `kind(status:)` classifies all others.
    private static let exceptions: [Known] = [
        Known(status: 400, reason: "BadDeviceToken", kind: .tokenSuspect),
        Known(status: 400, reason: "DeviceTokenNotForTopic", kind: .tokenSuspect),
        Known(status: 400, reason: "TopicDisallowed", kind: .credential),
        Known(status: 400, reason: "IdleTimeout", kind: .connectionFault),
        // Apple's page has the first word, its service has said the second.
        Known(status: 400, reason: "FeatureNotEnabled", kind: .credential),
        Known(status: 400, reason: "BroadcastFeatureNotEnabled", kind: .credential),
        Known(status: 400, reason: "ChannelNotRegistered", kind: .tokenDead(since: nil)),
        Known(status: 400, reason: "BadChannelId", kind: .tokenDead(since: nil)),
        Known(status: 403, reason: "ExpiredProviderToken", kind: .expiredCredential),
        Known(status: 403, reason: "InvalidProviderToken", kind: .expiredCredential),
        Known(status: 403, reason: "UnrelatedKeyIdInToken", kind: .wrongKeyForConnection),
        Known(status: 429, reason: "TooManyProviderTokenUpdates", kind: .laneThrottled),
        Known(status: 503, reason: "Shutdown", kind: .connectionFault),
    ]

    /// Apple's other reasons, as constants that live as long as the program, so that no text is created per device.
    private static let names = [
        "Unregistered", "ExpiredToken", "TooManyRequests", "ServiceUnavailable", "InternalServerError",
        "BadCollapseId", "BadExpirationDate", "BadMessageId", "BadPriority", "BadTopic", "DuplicateHeaders",
        "InvalidPushType", "MissingDeviceToken", "MissingTopic", "PayloadEmpty", "BadCertificate",
        "BadCertificateEnvironment", "Forbidden", "MissingProviderToken",
        "BadEnvironmentKeyIdInToken", "BadEnvironmentKeyInToken", "BadPath", "MethodNotAllowed", "PayloadTooLarge",
        "MissingChannelId", "MissingPushType", "TopicMismatch", "BadRequestParams", "BadRequestPayload",
    ]

    /// Returns the meaning of an answer.
    ///
    /// The status decides where the body gives no reason.
    static func classify(status: Int, body: Span<UInt8>, retryAfter: Span<UInt8>, now: Timestamp) -> Answer {
        if status == 200 { return .accepted }
        var kind = kind(status: status)
        if kind == .accepted { return .accepted }
        var reason: String?
        if let fields = AnswerBody(body, textName: "reason", numberName: "timestamp") {
            if let range = fields.text, !range.isEmpty {
                if let known = exceptions.first(where: { AnswerBody.equal(body, range, $0.reason) }) {
                    if known.status == status { kind = known.kind }
                    reason = known.reason
                } else if let name = names.first(where: { AnswerBody.equal(body, range, $0) }) {
                    reason = name
                } else {
                    reason = unknown(body, range)
                }
            }
            if kind == .tokenDead(since: nil) {
                // Milliseconds here, but seconds in `apns-expiration`.
                kind = .tokenDead(since: fields.number.map { Timestamp(milliseconds: $0) })
            }
        }
        return Answer(
            kind,
            reason: reason ?? "Status\(status)",
            retryAfter: RetryAfter.seconds(retryAfter, now: now)
        )
    }

    /// The class of a status without a known reason.
    static func kind(status: Int) -> AnswerClass {
        switch status {
        case 200...299: .accepted
        case 401, 403, 407: .credential
        // Apple does not use these, but a gateway in between may: too slow, wrong connection, too early.
        case 408, 425: .serviceFault
        case 421: .connectionFault
        case 404, 405: .bug
        case 410: .tokenDead(since: nil)
        case 429: .deviceThrottled
        case 400...499: .payloadBad
        // A redirect does not come from Apple: the endpoint is something else.
        case 300...399: .bug
        default: .serviceFault
        }
    }

    private static func unknown(_ body: Span<UInt8>, _ range: Range<Int>) -> String {
        var bytes: [UInt8] = []
        for index in range { bytes.append(body[index]) }
        return ReasonText.sanitized(bytes)
    }
}
