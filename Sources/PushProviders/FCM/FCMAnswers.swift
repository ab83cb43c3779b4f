import Campaigns

/// Google's statuses and error codes (`push-protocols.md`, C2) as classes of answers (C5).
enum FCMAnswers {
    /// The wait in seconds after QUOTA_EXCEEDED without a `Retry-After` (Google, "Scale FCM": 60 s by default).
    static let quotaWait = 60

    /// Returns the meaning of an answer.
    ///
    /// FCM's error code decides, then Google's general status, then HTTP's.
    static func classify(status: Int, body: Span<UInt8>, retryAfter: Span<UInt8>, now: Timestamp) -> Answer {
        if (200...299).contains(status) { return .accepted }
        let error = FCMError(body)
        let wait = RetryAfter.seconds(retryAfter, now: now) ?? error?.retryDelay
        let word = error?.code ?? error?.status
        switch word {
        // Google gives no time: the token is dead now, and a later registration is a new one.
        case "UNREGISTERED": return Answer(.tokenDead(since: now), reason: "UNREGISTERED")
        case "SENDER_ID_MISMATCH": return Answer(.tokenDead(since: now), reason: "SENDER_ID_MISMATCH")
        case "THIRD_PARTY_AUTH_ERROR": return Answer(.credential, reason: "THIRD_PARTY_AUTH_ERROR")
        case "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED":
            let quota = error?.quota ?? .project
            let kind: AnswerClass = quota == .device ? .deviceThrottled : .laneThrottled
            return Answer(kind, reason: quota.reason, retryAfter: wait ?? quotaWait)
        case "UNAVAILABLE": return Answer(.serviceFault, reason: "UNAVAILABLE", retryAfter: wait)
        case "INTERNAL": return Answer(.serviceFault, reason: "INTERNAL", retryAfter: wait)
        case "INVALID_ARGUMENT": return invalidArgument(error)
        case "UNAUTHENTICATED": return Answer(.expiredCredential, reason: "UNAUTHENTICATED")
        case "PERMISSION_DENIED": return Answer(.credential, reason: "PERMISSION_DENIED")
        default: break
        }
        let kind = kind(status: status)
        return Answer(
            kind,
            reason: word.map { ReasonText.sanitized(Array($0.utf8)) } ?? "Status\(status)",
            retryAfter: kind == .laneThrottled ? wait ?? quotaWait : wait
        )
    }

    /// Returns the meaning of a word that Google uses for tokens and for messages alike.
    ///
    /// The details tell the two apart. Without details the message is taken to be wrong, so that no token is declared
    /// dead.
    private static func invalidArgument(_ error: FCMError?) -> Answer {
        guard let field = error?.field else { return Answer(.payloadBad, reason: "INVALID_ARGUMENT") }
        if field == "message.token" { return Answer(.tokenSuspect, reason: "INVALID_ARGUMENT message.token") }
        return Answer(.payloadBad, reason: ReasonText.sanitized(Array("INVALID_ARGUMENT \(field)".utf8)))
    }

    /// The class of a status without a known error code.
    static func kind(status: Int) -> AnswerClass {
        switch status {
        case 200...299: .accepted
        // The access token is too old, or Google no longer accepts it.
        case 401: .expiredCredential
        case 403, 407: .credential
        // FCM does not use these, but a gateway in between may: too slow, wrong connection, too early.
        case 408, 425: .serviceFault
        case 421: .connectionFault
        // For a dead token Google says UNREGISTERED; a bare 404 means a wrong address.
        case 404, 405: .bug
        case 429: .laneThrottled
        case 400...499: .payloadBad
        // A redirect does not come from FCM: the endpoint is something else.
        case 300...399: .bug
        default: .serviceFault
        }
    }

    /// Returns the rule of `AnswerRule`'s table, adapted to Google.
    static func rule(for kind: AnswerClass, firstRung: Rung) -> AnswerRule {
        var rule = AnswerRule(for: kind, firstRung: firstRung)
        switch kind {
        // The quota is at fault, not the access tokens.
        case .laneThrottled: rule.credential = .keep
        // The quota per device is counted by the minute (240 a minute), so half a minute would be too early.
        case .deviceThrottled: rule.device = .retry(from: .minutes2)
        // Google asks for at least ten seconds before any retry.
        case .connectionFault: rule.device = .again(otherwise: .retry(from: firstRung))
        default: break
        }
        return rule
    }
}
