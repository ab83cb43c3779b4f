/// An instant as a host's wall clock says it, in whole milliseconds since 1970-01-01T00:00:00Z.
///
/// A type of its own, so that nobody compares it with what is stored or what another host says: those are `Timestamp`s,
/// on the time that all workers share. A wall clock may be wrong, and may step in either direction at any moment.
public struct WallInstant: Hashable, Sendable {
    /// Milliseconds since the Unix epoch; negative before it.
    public var milliseconds: Int64

    /// An instant from milliseconds since the Unix epoch.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whole seconds since the Unix epoch, rounded down.
    public var seconds: Int64 { asRead.seconds }

    /// The same instant for whoever has nothing but this host's clock and takes its word.
    ///
    /// Right for what a producer says of itself (`created_at`), for a provider's token, which is judged by the
    /// provider's clock, for a log line and a calendar. Wrong for everything that the ledger keeps or is compared with.
    public var asRead: Timestamp { Timestamp(milliseconds: milliseconds) }
}
