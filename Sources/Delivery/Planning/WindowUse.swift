public import Campaigns

/// How much of a campaign is on its way to a first attempt.
public struct WindowUse: Sendable, Equatable {
    /// The campaign; one of several providers has a use of each lane.
    public var campaign: UInt32
    /// Its app: the window is shared by app first.
    public var app: String
    /// Its lane.
    public var lane: Lane
    /// Whether it, its app or its provider has a limit: its shards wait for their turns, not for senders.
    public var isPaced: Bool
    /// First-attempt shards that are out or about to be, and not claimed.
    public var firstAttempts: Int
    /// Retry shards that wait: above 10,000 the planner stops.
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
