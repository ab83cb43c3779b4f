public import Campaigns

/// A job that a server has published, as the ledger remembers it for every server until a worker has judged it.
///
/// Pure; the instants are the ledger's shared time.
public struct SentJob: Equatable, Sendable {
    /// The time for which a job is remembered: longer than a fleet at work takes to judge one.
    public static let time = Duration.seconds(600)

    /// The hash of the normalized job, by which a repeat is recognized.
    public var identity: [UInt8]
    /// The instant before it was published.
    public var at: Timestamp

    /// A published job.
    public init(identity: [UInt8], at: Timestamp) {
        (self.identity, self.at) = (identity, at)
    }

    /// Returns the holder of the job's key while no campaign has it; `refusedAt` is the key's last refusal, which
    /// frees it.
    public func holder(refusedAt: Timestamp?, now: Timestamp) -> IntakeDecision.Holder {
        if let refusedAt, refusedAt >= at { return .none }
        let isRemembered = at <= FutureLimit.done.limit(now) && now <= at.advanced(by: Self.time)
        return isRemembered ? .sent(identity: identity) : .none
    }
}
