/// The patience of a connection with a node that lives and does not answer.
///
/// A node of a cluster without a majority takes connections and sends heartbeats, but confirms neither a consumer nor a
/// publish of a queue whose leader it does not see. A machine without a clock: the driver passes it.
public struct AnswerPatience: Sendable, Equatable {
    /// The time for a consumer's confirmation; a node whose queues have leaders needs milliseconds.
    public static let ofConsumers = Duration.seconds(5)
    /// The time for any confirm while publishes wait for theirs.
    public static let ofConfirms = Duration.seconds(10)

    private let most: Duration
    private var since: Duration?

    /// A patience of which nothing has been asked.
    public init(_ most: Duration) {
        self.most = most
    }

    /// Notes that something was asked; `now` is monotonic.
    public mutating func asked(now: Duration) {
        if since == nil { since = now }
    }

    /// Notes an answer, whatever it says; `awaitsMore`: something else is still unanswered.
    public mutating func answered(awaitsMore: Bool, now: Duration) {
        since = awaitsMore ? now : nil
    }

    /// Notes that no answer is due: the connection is another one, or the broker is in an alarm.
    public mutating func reset() { since = nil }

    /// The instant at which the patience ends unless an answer comes; nil if none is due.
    public var end: Duration? { since.map { $0 + most } }

    /// Returns true if the node is to be left.
    public func isOver(now: Duration) -> Bool { end.map { $0 <= now } ?? false }
}
