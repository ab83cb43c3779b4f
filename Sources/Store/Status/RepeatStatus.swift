public import Campaigns
import Delivery

/// The data about a repeated campaign for `campaign status`.
public struct RepeatStatus: Sendable, Equatable {
    /// The repetition in the job; nil if this version cannot read the job.
    public var repetition: Repetition?
    /// The next run; nil if no more runs come.
    public var nextAt: Timestamp?
    /// The latest run that was not made; nil if all were.
    public var missedAt: Timestamp?
    /// The reason why it was not made, for people.
    public var missedWhy: String?
    /// The latest runs, at most a hundred, latest first.
    public var runs: [RunStatus]
}

/// A run of a repeated campaign: a campaign of its own.
public struct RunStatus: Sendable, Equatable {
    /// The run's id, for `campaign status`.
    public var id: String
    /// The run's instant.
    public var at: Timestamp
    /// The state in the contract's words.
    public var state: String
    /// All devices of the audience.
    public var audience: Int
    /// The instant at which the first shard was cut.
    public var startedAt: Timestamp?
    /// The instant at which the last device got its outcome.
    public var completedAt: Timestamp?
}

extension LedgerReader {
    /// The status of a repeated campaign; nil for other campaigns.
    func repeatStatus(_ campaign: UInt32) throws(LedgerError) -> RepeatStatus? {
        let rows = try db.rows(
            """
            SELECT c.job, r.next_at, r.missed_at, r.missed_why FROM repeats r JOIN campaigns c ON c.number = r.campaign
            WHERE r.campaign = ?1
            """,
            .int(campaign)
        )
        guard try rows.next() else { return nil }
        let job = try? Job(stored: rows.blob("job"))
        return RepeatStatus(
            repetition: job?.delivery.repetition,
            nextAt: rows.optionalTime("next_at"),
            missedAt: rows.optionalTime("missed_at"),
            missedWhy: rows.optionalText("missed_why"),
            runs: try runs(of: campaign)
        )
    }

    /// The id of the repeated campaign that this campaign is a run of; nil if it is not a run.
    func parentID(_ campaign: UInt32) throws(LedgerError) -> String? {
        let rows = try db.rows(
            "SELECT p.id FROM runs u JOIN campaigns p ON p.number = u.parent WHERE u.campaign = ?1",
            .int(campaign)
        )
        return try rows.next() ? rows.text("id") : nil
    }

    private func runs(of parent: UInt32) throws(LedgerError) -> [RunStatus] {
        let rows = try db.rows(
            """
            SELECT \(CampaignRows.columns), u.instant, c.audience, c.started_at, c.completed_at
            FROM runs u JOIN campaigns c ON c.number = u.campaign WHERE u.parent = ?1
            ORDER BY u.instant DESC LIMIT 100
            """,
            .int(parent)
        )
        var runs: [RunStatus] = []
        while try rows.next() {
            let facts = try CampaignRows.facts(rows)
            runs.append(
                RunStatus(
                    id: facts.id,
                    at: rows.time("instant"),
                    state: facts.stateWord,
                    audience: rows.int("audience"),
                    startedAt: rows.optionalTime("started_at"),
                    completedAt: rows.optionalTime("completed_at")
                )
            )
        }
        return runs
    }
}
