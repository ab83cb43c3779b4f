/// An invalid field, in the words of `google.rpc.BadRequest`.
struct FieldViolation: Error, Equatable {
    /// The path from the root, such as `message.android.ttl`; empty for the whole body.
    let field: String
    let description: String
    /// True if FCM itself refused the field, not the JSON reader before it; the details then include an FcmError.
    var isOfFCM = false
}

/// FCM's answers: `google.rpc.Status` in JSON, laid out like Google's.
enum FCMAnswers {
    /// Returns 200 with the message's name.
    static func accepted(project: String, id: String) -> Answer {
        Answer(
            status: 200,
            body: Array("{\n  \"name\": \"projects/\(project)/messages/\(id)\"\n}\n".utf8),
            contentType: Answer.json
        )
    }

    /// Returns a refusal; `subject` names the exhausted quota.
    static func answer(
        _ error: FCMError,
        message: String? = nil,
        subject: String? = nil,
        retryAfter: String? = nil
    ) -> Answer {
        var details: [String] = []
        if let code = error.errorCode { details.append(fcmError(code)) }
        switch error {
        case .projectQuota, .deviceQuota, .topicQuota:
            details.append(quotaFailure(subject: subject ?? Self.subject(error), description: error.message))
        case .unauthenticated: details.append(errorInfo("ACCESS_TOKEN_TYPE_UNSUPPORTED"))
        case .permissionDenied: details.append(errorInfo("IAM_PERMISSION_DENIED"))
        default: break
        }
        if let seconds = retryAfter.flatMap({ Int($0) }) { details.append(retryInfo(seconds)) }
        return refusal(error, message: message ?? error.message, details: details, retryAfter: retryAfter)
    }

    /// Returns 400 for a field.
    static func answer(_ violation: FieldViolation) -> Answer {
        let details = (violation.isOfFCM ? [fcmError("INVALID_ARGUMENT")] : []) + [badRequest(violation)]
        return refusal(.invalidMessage, message: violation.description, details: details, retryAfter: nil)
    }

    static func answer(to behaviour: Behaviour, faults: Faults) -> Answer {
        switch behaviour {
        case .dead, .expired: return answer(.unregistered)
        case .unavailableOnce, .storm: return answer(.unavailable)
        case .unavailable: return answer(.unavailable, retryAfter: faults.retryAfter)
        case .throttledOnce: return answer(.deviceQuota)
        case .internalError: return answer(.internalError)
        case .badToken: return answer(.invalidToken)
        case .notForTopic: return answer(.senderIDMismatch)
        case .refusedByFCM(.invalidMessage):
            return answer(FieldViolation(field: "message", description: FCMError.invalidMessage.message, isOfFCM: true))
        case .refusedByFCM(let error):
            let retryAfter = error == .projectQuota && !faults.quotaRetryAfter.isEmpty ? faults.quotaRetryAfter : nil
            return answer(error, retryAfter: retryAfter)
        case .malformed(let malformed):
            return malformed.answer(
                reasonBefore: "{\"error\":{\"code\":400,\"message\":\"\",\"status\":\"",
                reasonAfter: "\"}}"
            )
        case .accept, .refuse, .reset, .stall, .refused, .refusedByWebPush: return Answer(status: 200)
        }
    }

    private static func refusal(
        _ error: FCMError,
        message: String,
        details: [String],
        retryAfter: String?
    ) -> Answer {
        let list = details.isEmpty ? "" : ",\n    \"details\": [\n\(details.joined(separator: ",\n"))\n    ]"
        let text = """
            {
              "error": {
                "code": \(error.status),
                "message": \(JSONNode.quoted(message)),
                "status": "\(error.statusWord)"\(list)
              }
            }

            """
        return Answer(
            status: error.status,
            reason: error.rawValue,
            retryAfter: retryAfter,
            body: Array(text.utf8),
            contentType: Answer.json
        )
    }

    private static func subject(_ error: FCMError) -> String {
        switch error {
        case .deviceQuota: "device"
        case .topicQuota: "topic"
        default: "project"
        }
    }

    // MARK: Details

    private static func detail(_ type: String, _ members: String) -> String {
        "      {\n        \"@type\": \"type.googleapis.com/\(type)\",\n\(members)\n      }"
    }

    private static func fcmError(_ code: String) -> String {
        detail("google.firebase.fcm.v1.FcmError", "        \"errorCode\": \"\(code)\"")
    }

    private static func badRequest(_ violation: FieldViolation) -> String {
        let field = violation.field.isEmpty ? "" : "            \"field\": \(JSONNode.quoted(violation.field)),\n"
        return detail(
            "google.rpc.BadRequest",
            "        \"fieldViolations\": [\n          {\n\(field)"
                + "            \"description\": \(JSONNode.quoted(violation.description))\n          }\n        ]"
        )
    }

    private static func quotaFailure(subject: String, description: String) -> String {
        detail(
            "google.rpc.QuotaFailure",
            "        \"violations\": [\n          {\n            \"subject\": \(JSONNode.quoted(subject)),\n"
                + "            \"description\": \(JSONNode.quoted(description))\n          }\n        ]"
        )
    }

    private static func retryInfo(_ seconds: Int) -> String {
        detail("google.rpc.RetryInfo", "        \"retryDelay\": \"\(seconds)s\"")
    }

    private static func errorInfo(_ reason: String) -> String {
        detail(
            "google.rpc.ErrorInfo",
            "        \"reason\": \"\(reason)\",\n        \"domain\": \"googleapis.com\",\n"
                + "        \"metadata\": {\n          \"service\": \"fcm.googleapis.com\"\n        }"
        )
    }
}
