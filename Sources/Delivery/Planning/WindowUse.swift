public import Campaigns

/// The amount of a campaign that is on its way to a first attempt.
public struct WindowUse: Sendable, Equatable {
    /// The campaign; a campaign of several providers has a use of each lane.
    public var campaign: UInt32
    /// The campaign's app, because the window is shared by app first.
    public var app: String
    /// The lane.
    public var lane: Lane
    /// True if the campaign, its app or its provider has a limit: its shards wait for their turns, not for senders.
    public var isPaced: Bool
    /// The number of first-attempt shards that are out, or about to be, and not claimed.
    public var firstAttempts: Int
    /// The number of retry shards that wait: above 10,000 the planner stops.
    public var retries: Int

    /// A use.
    public init(
        campaign: UInt32,
        app: String,
        lane: Lane,
        isPaced: Bool = false,
        firstAttempts: Int,
        retries: Int
    ) {
        self.campaign = campaign
        self.app = app
        self.lane = lane
        self.isPaced = isPaced
        self.firstAttempts = firstAttempts
        self.retries = retries
    }
}
