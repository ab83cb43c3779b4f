public import Campaigns

/// A planner's right to write for a campaign, or for a range of its audience; fences every transaction of its lease.
public struct LeaseToken: Sendable, Equatable {
    /// The campaign's number.
    public let campaign: UInt32
    /// The provider, in a campaign of several; nil for all of it.
    public let share: ProviderName?
    /// The range of the registry, of an audience that flows; nil for all of the campaign.
    public let range: Int?
    /// The lease's epoch, which is raised when the lease goes to another worker.
    public let epoch: UInt32
    /// The worker that has the lease.
    public let worker: Int64

    /// A token.
    public init(
        campaign: UInt32,
        share: ProviderName? = nil,
        range: Int? = nil,
        epoch: UInt32,
        worker: Int64
    ) {
        (self.campaign, self.share, self.range) = (campaign, share, range)
        (self.epoch, self.worker) = (epoch, worker)
    }
}
