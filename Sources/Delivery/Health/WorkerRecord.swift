public import Campaigns

/// A worker process in the ledger.
public struct WorkerRecord: Sendable, Equatable {
    /// The silence after which a worker no longer counts as live.
    public static let silenceMax = Duration.seconds(10)
    /// The time for which `status` keeps a worker that fell silent without saying goodbye.
    public static let keptFor = Duration.seconds(3600)

    /// The worker's id, which is never reused.
    public var id: Int64
    /// Host and process, for people.
    public var name: String
    /// The worker's roles.
    public var roles: [String]
    /// The providers for which it has each app's credentials.
    public var accounts: AppAccounts
    /// The instant of the start.
    public var startedAt: Timestamp
    /// The instant of the last report.
    public var seenAt: Timestamp
    /// The lead of its host's wall clock over the shared time at that instant, in milliseconds; nil for versions that
    /// did not report it.
    public var skew: Int64?
    /// The worker's own report of its health; nil for versions that did not report it.
    public var health: WorkerHealth?

    /// A worker's row.
    public init(
        id: Int64,
        name: String,
        roles: [String],
        accounts: AppAccounts,
        startedAt: Timestamp,
        seenAt: Timestamp,
        skew: Int64? = nil,
        health: WorkerHealth? = nil
    ) {
        self.id = id
        self.name = name
        self.roles = roles
        self.accounts = accounts
        self.startedAt = startedAt
        self.seenAt = seenAt
        self.skew = skew
        self.health = health
    }

    /// The apps whose credentials it has, sorted.
    public var apps: [String] { accounts.providers.keys.sorted() }

    /// Returns true if the worker has reported lately.
    public func isLive(now: Timestamp) -> Bool { seenAt >= now.advanced(by: .zero - Self.silenceMax) }

    /// Returns the state of the host's clock, by the worker's last report.
    public func standing(_ source: ClockStanding.Source) -> ClockStanding {
        ClockStanding(skew: skew ?? 0, source: source)
    }
}
