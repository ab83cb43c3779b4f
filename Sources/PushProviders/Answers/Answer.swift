public import Campaigns

/// What a provider said about one device.
public struct Answer: Hashable, Sendable {
    /// What kind of answer it is; decides what is done.
    public var kind: AnswerClass
    /// The provider's own word, exactly as it came (at most 64 characters, control characters escaped), or `Status<n>`
    /// where it gave none; nil when accepted.
    ///
    /// For counts and people, never for decisions.
    public var reason: String?
    /// The provider's `Retry-After` in seconds, 0 … 86,400; a floor, not a wish.
    public var retryAfter: Int?

    /// An answer.
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
/// What never was an answer (refused streams, deadlines, lost connections) is not here; the sender knows it.
public enum AnswerClass: Hashable, Sendable {
    /// The provider took the push; not: it was delivered.
    case accepted
    /// The token is dead, for a registration older than `since` (nil: the provider did not say since when).
    case tokenDead(since: Timestamp?)
    /// The token is wrong for this app or this environment; perhaps it is the environment that is wrong.
    case tokenSuspect
    /// This content will never be taken.
    case payloadBad
    /// The app's credential is not accepted.
    case credential
    /// The provider token is not taken, as too old or as not valid: a new token and a new connection, once.
    ///
    /// A clock that is behind makes tokens too old, one that is ahead makes them invalid.
    case expiredCredential
    /// The connection belongs to another key: a new connection.
    case wrongKeyForConnection
    /// Too much for this device.
    case deviceThrottled
    /// Too much from this app.
    case laneThrottled
    /// The provider is unwell.
    case serviceFault
    /// The connection is at its end; the push was not processed.
    case connectionFault
    /// The request itself is malformed, or the endpoint is no such provider: our mistake.
    case bug
}
