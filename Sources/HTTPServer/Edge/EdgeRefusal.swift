import Campaigns
import HTTPTypes

/// The words in which the edge answers (contract, section 5); apps rely on them.
enum EdgeStatus: String, Sendable, CaseIterable {
    case registered
    case integrationKeyEmpty = "integration_key_empty"
    case integrationKeyUnknown = "integration_key_unknown"
    case userNotVerified = "user_not_verified"
    case deviceExists = "device_exists"
    case tokenInvalid = "token_invalid"
    case tooManyRequests = "too_many_requests"
    /// Everything else; the reason says what it is.
    case unexpectedError = "unexpected_error"
}

/// Why the edge refuses a request: the one form of all its refusals.
struct EdgeRefusal: Error {
    let status: HTTPResponse.Status
    let word: EdgeStatus
    /// For people; nothing secret, and nothing of other devices.
    let reason: String
    /// Where in the body the fault is (RFC 6901).
    let pointer: String?
    let headers: HTTPFields

    init(
        _ status: HTTPResponse.Status,
        _ word: EdgeStatus,
        _ reason: String,
        pointer: String? = nil,
        headers: HTTPFields = [:]
    ) {
        self.status = status
        self.word = word
        self.reason = reason
        self.pointer = pointer
        self.headers = headers
    }

    /// What a body has wrong, 422: `token_invalid` for what makes the token, otherwise `unexpected_error`.
    init(_ problems: [Problem]) {
        let ofToken = ["/token", "/provider", "/environment"]
        let first = problems.first { ofToken.contains($0.pointer) } ?? problems.first
        self.init(
            .unprocessableContent,
            ofToken.contains(first?.pointer ?? "") ? .tokenInvalid : .unexpectedError,
            [first?.detail ?? "the body cannot be used", first?.fix].compactMap(\.self).joined(separator: "; "),
            pointer: first?.pointer
        )
    }

    /// The same refusal as the API's, in the edge's form.
    init(_ problem: HTTPProblem) {
        let first = problem.document.errors.first
        let reason = [problem.document.title, first?.detail].compactMap(\.self).joined(separator: ": ")
        self.init(
            problem.status,
            problem.document.kind == .tooManyRequests ? .tooManyRequests : .unexpectedError,
            reason,
            pointer: first?.pointer,
            headers: problem.headers
        )
    }

    var json: JSONValue {
        .object([
            "status": .string(word.rawValue), "reason": .string(reason), "pointer": pointer.map(JSONValue.string),
        ])
    }

    var answer: Answer { .json(json, status, headers: headers) }
}
