/// The time for which a worker gathers the writes of bulk sending between two of its commits.
///
/// A commit costs about the same for one write as for ten. So four workers with a quarter of the devices each must not
/// commit four times as often as one with all of them. The pause grows while commits bring little, and shrinks while
/// they bring much. After a quiet time it is short again: what is rare waits for nobody. Pure; the clock is handed in.
public struct CommitPause: Sendable, Equatable {
    /// The shortest pause, which any write may have to wait for (`Ledger.Priority.withOthers`).
    public static let least = Duration.milliseconds(5)
    /// The longest pause.
    ///
    /// A shard waits for two of them, at its claim and at its end; with the 64 shards that a worker takes, it still
    /// sends 400,000 devices a second, and with so many the pause is shorter.
    public static let most = Duration.milliseconds(40)
    /// The number of writes in a commit from which more company saves little.
    ///
    /// That is the progress of two loops, and the claims and settlements of four shards: 2,000 devices.
    public static let enough = 10

    /// The shortest pause of this one.
    public let least: Duration
    private let most: Duration
    private var pause: Duration
    private var endedAt: MonotonicInstant?

    /// A pause between two bounds.
    public init(least: Duration = Self.least, most: Duration = Self.most) {
        (self.least, self.most) = (least, max(least, most))
        pause = least
    }

    /// Returns the pause after a transaction of so many writes.
    public mutating func committed(
        _ writes: Int,
        from began: MonotonicInstant,
        to ended: MonotonicInstant
    ) -> Duration {
        // Nothing came for a long time after the last pause.
        let isQuiet = endedAt.map { began.since($0) > pause + most } ?? true
        endedAt = ended
        if isQuiet {
            pause = least
        } else if writes < Self.enough / 2 {
            pause = min(most, pause * 3 / 2)
        } else if writes > Self.enough {
            pause = max(least, pause / 2)
        }
        return pause
    }
}
