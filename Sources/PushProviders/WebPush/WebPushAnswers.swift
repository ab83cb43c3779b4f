import Campaigns

/// What push services answer (RFC 8030, RFC 8292; autopush, `docs/src/http.md`) as classes of answers (C5).
///
/// Whoever subscribes names the server, and one server's word is about its own subscriptions. So no answer here opens the
/// app's breaker but a fault of the service, and none counts as the content's fault: a stranger's server must not be able
/// to stop a campaign.
enum WebPushAnswers {
    /// What an answer means.
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
        // 201 is the usual one; 202 where somebody asks for receipts (RFC 8030 section 5.1).
        case 200...299: .accepted
        // The subscription is gone, or was never one (RFC 8030 section 7.3): now, since no instant is said.
        case 404, 410: .tokenDead(since: now)
        // More than 4096 bytes is never sent, and those a service must take (RFC 8030 section 7.2).
        case 413: .payloadBad
        // RFC 8030 section 8.4; 406 is how Microsoft's service says it. It may mean this subscription, this app or all:
        // the device waits, with `Retry-After` as the floor, and the other services are not held up.
        case 406, 429: .deviceThrottled
        case 408, 425: .serviceFault
        case 421: .connectionFault
        case 500...: .serviceFault
        // 401 and 403 are said of a token that is not good, and as well of a subscription that was made with another
        // key than the app's (RFC 8292 section 4.2; Apple says VapidPkHashMismatch with 403, autopush errno 109 with 401).
        // 400 is said of keys that are none, and a redirect comes from what is no push service: it is never followed,
        // because it would lead where nobody has looked. All of it is about a subscription; when most of a campaign's
        // are called so, the wrong-environment guard pauses it, and then the app's key or this machine's clock is wrong.
        default: .tokenSuspect
        }
    }

    /// See `PushProvider`.
    static func rule(for answer: AnswerClass, firstRung: Rung) -> AnswerRule {
        var rule = AnswerRule(for: answer, firstRung: firstRung)
        rule.isContentFault = false
        return rule
    }

    /// Apple's word, or autopush's number.
    private static func reason(_ body: Span<UInt8>) -> String? {
        guard let fields = AnswerBody(body, textName: "reason", numberName: "errno") else { return nil }
        guard let range = fields.text, !range.isEmpty else { return fields.number.map { "Errno\($0)" } }
        var bytes: [UInt8] = []
        for index in range { bytes.append(body[index]) }
        return ReasonText.sanitized(bytes)
    }
}
