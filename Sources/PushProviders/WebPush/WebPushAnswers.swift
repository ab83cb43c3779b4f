import Campaigns

/// The answers of push services (RFC 8030, RFC 8292; autopush, `docs/src/http.md`) as classes of answers (C5).
///
/// Subscribers name the server, and a server can speak only for its own subscriptions. So only faults of a service
/// count for the app's breaker, and no answer counts as the content's fault: a stranger's server must not be able to
/// stop a campaign.
enum WebPushAnswers {
    /// Returns the meaning of an answer.
    static func classify(status: Int, body: Span<UInt8>, retryAfter: Span<UInt8>, now: Timestamp) -> Answer {
        let kind = kind(status: status, now: now)
        if kind == .accepted { return .accepted }
        return Answer(
            kind,
            reason: reason(body) ?? "Status\(status)",
            retryAfter: RetryAfter.seconds(retryAfter, now: now)
        )
    }

    /// The class of a status.
    static func kind(status: Int, now: Timestamp) -> AnswerClass {
        switch status {
        // 201 is the usual status; 202 answers a request for receipts (RFC 8030 section 5.1).
        case 200...299: .accepted
        // The subscription is gone, or never existed (RFC 8030 section 7.3). The answer gives no time, so it is dead
        // now.
        case 404, 410: .tokenDead(since: now)
        // Never caused by size: no message has more than 4096 bytes, which every service must accept (RFC 8030 section
        // 7.2).
        case 413: .payloadBad
        // RFC 8030 section 8.4; Microsoft's service uses 406. The limit may apply to this subscription, this app or
        // all. The device waits, with `Retry-After` as the lower bound, and other services are not delayed.
        case 406, 429: .deviceThrottled
        case 408, 425: .serviceFault
        case 421: .connectionFault
        case 500...: .serviceFault
        // A service answers 401 and 403 to an invalid token, and also to a subscription made with another key than the
        // app's (RFC 8292 section 4.2; Apple says VapidPkHashMismatch with 403, autopush errno 109 with 401). It
        // answers 400 to invalid keys. A redirect comes from something that is not a push service, and is never
        // followed, because nobody has checked its target. All of these concern one subscription. When most
        // subscriptions of a campaign get them, the wrong-environment guard pauses the campaign; then the app's key or
        // this machine's clock is wrong.
        default: .tokenSuspect
        }
    }

    /// See `PushProvider`.
    static func rule(for answer: AnswerClass, firstRung: Rung) -> AnswerRule {
        var rule = AnswerRule(for: answer, firstRung: firstRung)
        rule.isContentFault = false
        return rule
    }

    /// Returns Apple's reason, or autopush's number.
    private static func reason(_ body: Span<UInt8>) -> String? {
        guard let fields = AnswerBody(body, textName: "reason", numberName: "errno") else { return nil }
        guard let range = fields.text, !range.isEmpty else { return fields.number.map { "Errno\($0)" } }
        var bytes: [UInt8] = []
        for index in range { bytes.append(body[index]) }
        return ReasonText.sanitized(bytes)
    }
}
