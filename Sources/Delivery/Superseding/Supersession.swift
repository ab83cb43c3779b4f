public import Campaigns

/// Collapse in the queue: which of two campaigns takes the other's place, and when it may begin (design, section 9).
///
/// Pure: whoever drives it asks within one transaction of the ledger, which also marks the older campaigns and settles
/// their rows that nobody runs. From that commit on no claim of theirs is granted, so what `mayBegin` waits for only gets
/// less.
public enum Supersession {
    /// Where a campaign stands among those that collapse with it.
    public struct Place: Sendable, Equatable, Comparable {
        /// The producer's instant.
        public var createdAt: Timestamp
        /// The number in the ledger: of equal instants the later acceptance is the newer.
        public var number: UInt32

        /// A place.
        public init(createdAt: Timestamp, number: UInt32) {
            self.createdAt = createdAt
            self.number = number
        }

        /// The older comes first.
        public static func < (left: Place, right: Place) -> Bool {
            (left.createdAt, left.number) < (right.createdAt, right.number)
        }
    }

    /// After so long no worker opens a stream for a campaign that was superseded, whatever became of it.
    ///
    /// A worker that cannot read the ledger stops after `knowledgeLasts`; one that was frozen has lost its lease of the
    /// broker by then (15 s) and sees that before it opens a stream.
    public static let patience = Duration.seconds(15)
    /// How old what a worker knows of its campaigns may be for it to open streams.
    public static let knowledgeLasts = Duration.seconds(10)

    /// Whether no stream of the older campaigns can be opened any more.
    ///
    /// - Parameters:
    ///   - markedAt: When the older ones were marked as superseded.
    ///   - running: Their rows that are claimed and whose run has not written that it has stopped.
    ///   - now: The instant, by the clock of `markedAt`.
    public static func mayBegin(markedAt: Timestamp, running: Int, now: Timestamp) -> Bool {
        running == 0 || markedAt.advanced(by: patience) <= now
    }
}

/// What became of a campaign's release.
public enum ReleaseResult: Sendable, Equatable {
    /// It may be planned.
    case released
    /// Runs of campaigns that it supersedes have not stopped yet; ask again.
    case waits
    /// It is not due, over, or superseded itself.
    case notDue
}
