public import Campaigns

/// An order to all workers to read their configuration, apps file and keys again.
///
/// Only the newest one matters: whoever reads the files after it has answered all before it, too.
public struct ReloadOrder: Sendable, Equatable {
    /// The time for which a live worker may leave an order unanswered before a person is needed.
    public static let patience = Duration.seconds(30)

    /// The number, from 1 on and never reused; a later order has a higher one.
    public var number: Int64
    /// The instant of the order, on the shared time.
    public var at: Timestamp
    /// The name of the operator or of the access token.
    public var by: String

    /// An order.
    public init(number: Int64, at: Timestamp, by: String) {
        self.number = number
        self.at = at
        self.by = by
    }
}
