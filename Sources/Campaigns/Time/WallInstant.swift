/// An instant on a host's wall clock, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// It has its own type, so that nobody compares it with stored instants or those of another host, which are
/// `Timestamp`s on the time that all workers share. A wall clock may be wrong, and may step in either direction at any
/// moment.
public struct WallInstant: Hashable, Sendable {
    /// Milliseconds since the Unix epoch; negative before it.
    public var milliseconds: Int64

    /// Creates an instant from milliseconds since the Unix epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// The same instant for code that has only this host's clock and trusts it.
    ///
    /// Right for a producer's own `created_at`, for a provider token (judged by the provider's clock), for a log line
    /// and a calendar. Wrong for everything that the ledger stores or that is compared with it.
    public var asRead: Timestamp { Timestamp(milliseconds: milliseconds) }
}
