public import Campaigns

/// The right of one worker to plan a campaign, until it has to be renewed.
public struct PlannerLease: Sendable, Equatable {
    /// The time that a lease lasts without renewal.
    public static let length = Duration.seconds(3)
    /// The same under a rate, where nobody gives turns until a dead planner's lease ends.
    public static let pacedLength = Duration.milliseconds(800)

    /// The worker; 0 for nobody.
    public var owner: Int64
    /// The epoch, which fences the writes of earlier leases; raised when the lease goes to another worker.
    public var epoch: UInt32
    /// The instant from which any worker may take it.
    public var until: Timestamp

    /// A lease.
    public init(owner: Int64, epoch: UInt32, until: Timestamp) {
        (self.owner, self.epoch, self.until) = (owner, epoch, until)
    }

    /// The lease as `worker` has it from now on; nil while it is another worker's.
    ///
    /// The result is unchanged until a third of the lease is over: then nothing is to be written.
    ///
    /// - Parameters:
    ///   - worker: The worker that asks.
    ///   - isPaced: True if the campaign is under a rate.
    ///   - isIdle: True if the owner is of a version that cannot freeze this campaign's audience on; then it is taken
    ///     at once, and the epoch fences the owner.
    ///   - now: The instant.
    public func taken(by worker: Int64, isPaced: Bool, isIdle: Bool = false, now: Timestamp) -> PlannerLease? {
        let length = isPaced ? Self.pacedLength : Self.length
        guard owner == worker else {
            guard owner == 0 || isIdle || FutureLimit.lease.isPassed(until, now: now) else { return nil }
            return PlannerLease(owner: worker, epoch: epoch + 1, until: now.advanced(by: length))
        }
        let isFresh = until > now.advanced(by: length * 2 / 3) && until <= FutureLimit.lease.limit(now)
        return isFresh ? self : PlannerLease(owner: worker, epoch: epoch, until: now.advanced(by: length))
    }
}

extension FutureLimit {
    /// A planner's lease of a campaign.
    public static var lease: FutureLimit { FutureLimit(PlannerLease.length) }
}
