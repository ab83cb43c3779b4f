import Campaigns
import HTTPTypes
import WebServing

/// The status words of the edge's answers (contract, section 5); apps rely on them.
enum EdgeStatus: String, Sendable, CaseIterable {
    case registered
    case integrationKeyEmpty = "integration_key_empty"
    case integrationKeyUnknown = "integration_key_unknown"
    case userNotVerified = "user_not_verified"
    case deviceExists = "device_exists"
    case tokenInvalid = "token_invalid"
    case tooManyRequests = "too_many_requests"
    /// Any other refusal; `reason` tells it.
    case unexpectedError = "unexpected_error"
}

/// A refusal of the edge, in the one form of all of them.
struct EdgeRefusal: Error {
    let status: HTTPResponse.Status
    let word: EdgeStatus
    /// A text for people, without secrets and without facts of other devices.
    let reason: String
    /// The faulty part of the body (RFC 6901).
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

    /// Makes a 422 for a body's problems: `token_invalid` for members that make the token, otherwise
    /// `unexpected_error`.
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

    /// Converts a refusal of the API to the edge's form.
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

    var answer: HTTPAnswer { .json(json, status, headers: headers) }
}
