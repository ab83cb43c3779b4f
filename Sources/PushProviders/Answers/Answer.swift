public import Campaigns

/// A provider's answer about one device.
public struct Answer: Hashable, Sendable {
    /// The class of the answer, which decides what happens next.
    public var kind: AnswerClass
    /// The provider's own reason, unchanged (at most 64 characters, control characters escaped), or `Status<n>` where
    /// it gave none; nil when accepted.
    ///
    /// For counts and people, never for decisions.
    public var reason: String?
    /// The provider's `Retry-After` in seconds, 0 … 86,400; a lower bound.
    public var retryAfter: Int?

    /// Creates an answer.
    public init(_ kind: AnswerClass, reason: String? = nil, retryAfter: Int? = nil) {
        self.kind = kind
        self.reason = reason
        self.retryAfter = retryAfter
    }

    /// The provider took the push.
    public static let accepted = Answer(.accepted)
}

/// The classes of answers: one vocabulary for all providers (`push-protocols.md`, C5).
///
/// Failures without an answer (refused streams, deadlines, lost connections) are not among them; the sender handles
/// them.
public enum AnswerClass: Hashable, Sendable {
    /// The provider took the push, which does not mean that it was delivered.
    case accepted
    /// The token is dead, for registrations older than `since` (nil: the provider gave no time).
    case tokenDead(since: Timestamp?)
    /// The token is wrong for this app or this environment; perhaps the environment is wrong.
    case tokenSuspect
    /// The provider will never take this content.
    case payloadBad
    /// The provider does not accept the app's credential.
    case credential
    /// The provider token was refused as too old or not valid: try once with a new token and a new connection.
    ///
    /// A clock that is behind makes tokens too old; one that is ahead makes them invalid.
    case expiredCredential
    /// The connection belongs to another key: use a new connection.
    case wrongKeyForConnection
    /// Too many pushes to this device.
    case deviceThrottled
    /// Too many pushes from this app.
    case laneThrottled
    /// The provider has a fault.
    case serviceFault
    /// The connection is ending; the push was not processed.
    case connectionFault
    /// The request itself is malformed, or the endpoint is not such a provider: our mistake.
    case bug
}
