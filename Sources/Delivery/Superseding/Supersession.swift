public import Campaigns

/// Collapse in the queue: the rule by which one campaign supersedes another, and may begin (design, section 9).
///
/// Pure: the driver asks within one transaction of the ledger, which also marks the older campaigns and settles those
/// of their rows that nobody runs. From that commit on none of their claims is granted, so the runs that `mayBegin`
/// waits for can only decrease.
public enum Supersession {
    /// The position of a campaign among those that collapse with it.
    public struct Position: Sendable, Equatable, Comparable {
        /// The producer's instant.
        public var createdAt: Timestamp
        /// The number in the ledger: at equal instants, the campaign that was accepted later is the newer.
        public var number: UInt32

        /// A position.
        public init(createdAt: Timestamp, number: UInt32) {
            self.createdAt = createdAt
            self.number = number
        }

        /// The older comes first.
        public static func < (left: Position, right: Position) -> Bool {
            (left.createdAt, left.number) < (right.createdAt, right.number)
        }
    }

    /// The time after which no worker opens a stream for a superseded campaign, in any case.
    ///
    /// A worker that cannot read the ledger stops after `knowledgeLasts`. A worker that was frozen has lost its lease
    /// at the broker by then (15 s), and notices that before it opens a stream.
    public static let timeout = Duration.seconds(15)
    /// The time for which the newer campaign waits for answers to requests that were under way when a run was stopped.
    ///
    /// Two connections keep no order between each other: only an answer tells that the older request has arrived. A
    /// provider that is slower than this delays the newer campaign no further.
    public static let answersAwaited = Duration.seconds(2)
    /// The age up to which a worker's knowledge of its campaigns allows it to open streams.
    public static let knowledgeLasts = Duration.seconds(10)

    /// Returns true if no stream of the older campaigns can be opened any more, and those that were open are answered
    /// or slow.
    ///
    /// - Parameters:
    ///   - markedAt: The instant at which the older campaigns were marked as superseded.
    ///   - running: The number of their rows that are claimed and whose run has neither ended nor written that it has
    ///     stopped.
    ///   - now: The instant, by the clock of `markedAt`.
    public static func mayBegin(markedAt: Timestamp, running: Int, now: Timestamp) -> Bool {
        running == 0 || markedAt.advanced(by: timeout) <= now
    }
}

/// The result of a campaign's release.
public enum ReleaseResult: Sendable, Equatable {
    /// The campaign may be planned.
    case released
    /// Runs of campaigns that it supersedes have not stopped yet; ask again.
    case waits
    /// The campaign is not due, is over, or is superseded itself.
    case notDue
}
