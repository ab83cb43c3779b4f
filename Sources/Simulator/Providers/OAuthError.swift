/// An error of the token endpoint (RFC 6749, section 5.2, and Google's additions).
public enum OAuthError: String, Sendable, CaseIterable {
    /// The assertion is invalid: its signature, account, audience or times.
    case invalidGrant = "invalid_grant"
    /// The scope is missing or unknown.
    case invalidScope = "invalid_scope"
    /// A parameter is missing.
    case invalidRequest = "invalid_request"
    /// The grant type is not supported.
    case unsupportedGrantType = "unsupported_grant_type"
    /// The account may not receive tokens.
    case unauthorizedClient = "unauthorized_client"
    /// A fault of the endpoint.
    case internalFailure = "internal_failure"
    /// The endpoint is overloaded.
    case unavailable = "temporarily_unavailable"

    var status: Int {
        switch self {
        case .invalidGrant, .invalidScope, .invalidRequest, .unsupportedGrantType: 400
        case .unauthorizedClient: 401
        case .internalFailure: 500
        case .unavailable: 503
        }
    }
}
