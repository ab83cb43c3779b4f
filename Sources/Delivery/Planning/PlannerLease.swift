public import Campaigns

/// Who plans a campaign, and until when without renewing it.
public struct PlannerLease: Sendable, Equatable {
    /// How long a lease lasts without being renewed.
    public static let length = Ahead.leaseLength
    /// The same under a rate, where nobody gives turns while a lease of a dead planner lasts.
    public static let pacedLength = Duration.milliseconds(800)

    /// The worker; 0 for nobody.
    public var owner: Int64
    /// Fences the writes of the leases before; raised when it goes to another worker.
    public var epoch: UInt32
    /// When it is anybody's.
    public var until: Timestamp

    /// A lease.
    public init(owner: Int64, epoch: UInt32, until: Timestamp) {
        (self.owner, self.epoch, self.until) = (owner, epoch, until)
    }

    /// The lease as `worker` has it from now on; nil while it is another's.
    ///
    /// The same again while less than a third of it is over: then nothing is to be written.
    public func taken(by worker: Int64, isPaced: Bool, now: Timestamp) -> PlannerLease? {
        let length = isPaced ? Self.pacedLength : Self.length
        guard owner == worker else {
            guard owner == 0 || Ahead.lease.isPassed(until, now: now) else { return nil }
            return PlannerLease(owner: worker, epoch: epoch + 1, until: now.advanced(by: length))
        }
        let isFresh = until > now.advanced(by: length * 2 / 3) && until <= Ahead.lease.limit(now)
        return isFresh ? self : PlannerLease(owner: worker, epoch: epoch, until: now.advanced(by: length))
    }
}
