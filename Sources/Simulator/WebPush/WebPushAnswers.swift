import HTTP2

/// The answers of a Web Push service.
enum WebPushAnswers {
    /// Returns 201 (RFC 8030, section 5); the TTL is the one that the service will apply (section 5.2).
    static func accepted(origin: String, id: String, timeToLive: Int64) -> Answer {
        let fields = [HeaderField("location", "\(origin)/message/\(id)"), HeaderField("ttl", "\(timeToLive)")]
        return Answer(status: 201, fields: fields)
    }

    static func answer(
        _ error: WebPushError,
        message: String? = nil,
        retryAfter: String? = nil
    ) -> Answer {
        let body = error.body
        let text =
            "{\"code\":\(error.status),\"errno\":\(body.number),\"error\":\"\(body.name)\","
            + "\"message\":\(JSONNode.quoted(message ?? body.name))}"
        var answer = Answer(
            status: error.status,
            reason: error.rawValue,
            retryAfter: retryAfter,
            body: Array(text.utf8),
            contentType: "application/json"
        )
        if error == .redirect { answer.fields = [HeaderField("location", "/push/elsewhere")] }
        return answer
    }

    static func answer(to behaviour: Behaviour, faults: Faults) -> Answer {
        switch behaviour {
        case .dead: return answer(.gone)
        case .expired, .notForTopic: return answer(.notFound)
        case .unavailableOnce, .storm: return answer(.unavailable)
        case .unavailable: return answer(.unavailable, retryAfter: faults.retryAfter)
        case .throttledOnce, .refusedByWebPush(.tooMany):
            return answer(.tooMany, retryAfter: faults.quotaRetryAfter.isEmpty ? nil : faults.quotaRetryAfter)
        case .internalError: return answer(.internalError)
        case .badToken: return answer(.badRequest)
        case .refusedByWebPush(let error): return answer(error)
        case .malformed(let malformed):
            return malformed.answer(reasonBefore: "{\"code\":400,\"errno\":\"", reasonAfter: "\"}")
        case .accept, .refuse, .reset, .stall, .refused, .refusedByFCM: return Answer(status: 201)
        }
    }
}
