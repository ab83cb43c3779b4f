public import Campaigns

/// The facts that acceptance needs about a repeated campaign.
public struct NewRepetition: Sendable, Equatable {
    /// The first run.
    public var next: NextRun
    /// The list that the runs leave out, if the job names a version of it; it is kept for them.
    public var excludedList: UInt32?

    /// A repetition.
    public init(next: NextRun, excludedList: UInt32? = nil) {
        self.next = next
        self.excludedList = excludedList
    }
}

/// A future run.
public struct NextRun: Sendable, Equatable {
    /// The run's instant.
    public var at: Timestamp
    /// The instant at which the run is made; it is earlier than `at` if each device has its own instant.
    public var madeAt: Timestamp

    /// A run.
    public init(at: Timestamp, madeAt: Timestamp) {
        self.at = at
        self.madeAt = madeAt
    }
}
