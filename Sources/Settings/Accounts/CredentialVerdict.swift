import Campaigns

/// The last that a provider said about an account's credential.
struct CredentialVerdict: Sendable {
    /// The last instant at which it is known to have accepted it.
    var acceptedAt: Timestamp?
    /// The beginning of its refusal, with the reason; nil while it accepts it.
    var refusal: (since: Timestamp, reason: String)?

    /// Notes an answer that only an accepted credential gets.
    mutating func accepted(at now: Timestamp) {
        acceptedAt = now
        refusal = nil
    }

    /// Notes a refusal; the first one of a run tells the beginning.
    mutating func refused(_ reason: String, at now: Timestamp) {
        refusal = (refusal?.since ?? now, reason)
    }
}
