public import Campaigns
public import Delivery

/// A repeated campaign, for the planner that makes its runs.
public struct RepeatedCampaign: Sendable, Equatable {
    /// The campaign's facts.
    public var facts: CampaignFacts
    /// The stored job, without inline devices.
    public var job: [UInt8]
    /// The list of the job's inline devices, or the version that the job names; nil if each run finds its own audience.
    public var list: UInt32?
    /// The version of that list, by which runs collapse.
    public var listVersion: String?
    /// The next run; nil if no more runs come.
    public var due: Timestamp?
    /// The instant of a restore of the ledger since the last run; runs up to then may have been made before the loss.
    public var restoredAt: Timestamp?
    /// The job's `message_id`, for the events of its runs.
    public var correlationID: String
    /// The job's trace parent.
    public var traceParent: String
}

/// A planner's decision about due runs.
public struct RepeatStep: Sendable {
    /// The due run from which the step starts; only the first planner to take it succeeds.
    public var due: Timestamp
    /// The run to make: `due`, or a later one that is due too.
    public var run: (at: Timestamp, campaign: NewCampaign)?
    /// The latest run that is not made, with the reason for people.
    public var missed: (at: Timestamp, why: String)?
    /// The run after these.
    public var next: NextRun?

    /// A step from a due run.
    public init(due: Timestamp) {
        self.due = due
    }
}

/// The result of a step.
public enum RepeatResult: Sendable, Equatable {
    /// The run is a campaign now.
    case made(number: UInt32)
    /// The run is not made.
    case passed
    /// Another planner was first, or the campaign is over; nothing was written.
    case fenced
}

extension LedgerTransaction {
    /// Stores the repetition of a campaign; part of its acceptance.
    func beginRepeating(_ campaign: UInt32, _ new: NewRepetition) throws(LedgerError) {
        try db.run(
            "INSERT INTO repeats (campaign, next_at, excluded) VALUES (?1, ?2, ?3)",
            .int(campaign),
            .time(new.next.at),
            .int(new.excludedList)
        )
        try db.run(
            "UPDATE campaigns SET repeats = 1, send_at = ?2 WHERE number = ?1",
            .int(campaign),
            .time(new.next.madeAt)
        )
    }

    /// Makes a due run a campaign and stores the next run (use `synced`).
    ///
    /// It is a compare-and-set, so that each instant has at most one run, whichever planner comes. While the campaign
    /// is paused, the run is skipped.
    public func takeStep(
        _ step: RepeatStep,
        by lease: LeaseToken,
        now: Timestamp
    ) throws(LedgerError) -> RepeatResult {
        let parent = lease.campaign
        guard try holdsLease(lease), let facts = try reader.campaign(parent), facts.stage.isLive
        else { return .fenced }
        var (run, missed) = (step.run, step.missed)
        if let skipped = run, facts.pausedBy.contains(.paused) {
            (run, missed) = (nil, (skipped.at, "paused"))
        }
        let taken = try db.run(
            """
            UPDATE repeats SET next_at = ?3, restored_at = NULL, missed_at = coalesce(?4, missed_at),
                missed_why = coalesce(?5, missed_why)
            WHERE campaign = ?1 AND next_at = ?2
            """,
            .int(parent),
            .time(step.due),
            .time(step.next?.at),
            .time(missed?.at),
            .text(missed?.why)
        )
        guard taken == 1 else { return .fenced }
        try db.run("UPDATE campaigns SET send_at = ?2 WHERE number = ?1", .int(parent), .time(step.next?.madeAt))
        guard let run else {
            try bumpRevision()
            return .passed
        }
        guard case .accepted(let number, _) = try accept(run.campaign, now: now) else {
            throw .failed("the run \(run.campaign.facts.campaignID) is there already")
        }
        try db.run(
            "INSERT INTO runs (parent, instant, campaign) VALUES (?1, ?2, ?3)",
            .int(parent),
            .time(run.at),
            .int(number)
        )
        // Orders of an operator for the campaign also apply to its future runs.
        try db.run(
            """
            UPDATE campaigns SET (per_second, ramp_up, urgency)
                = (SELECT p.per_second, p.ramp_up, p.urgency FROM campaigns p WHERE p.number = ?2)
            WHERE number = ?1
            """,
            .int(number),
            .int(parent)
        )
        return .made(number: number)
    }

    /// Ends the repetition and cancels runs that have not begun.
    func endRepeating(_ parent: UInt32, _ piece: inout Piece, now: Timestamp) throws(LedgerError) {
        try db.run("UPDATE repeats SET next_at = NULL WHERE campaign = ?1", .int(parent))
        let rows = try db.rows(
            """
            SELECT c.number FROM runs u JOIN campaigns c ON c.number = u.campaign
            WHERE u.parent = ?1 AND c.completed_at IS NULL AND c.started_at IS NULL
            """,
            .int(parent)
        )
        let waiting = try rows.map { $0.uint32("number") }
        for run in waiting { _ = try cancel(campaign: run, &piece, now: now) }
    }
}

extension LedgerReader {
    /// The data for making a campaign's next run; nil if the campaign is not repeated.
    public func repeatedCampaign(_ number: UInt32) throws(LedgerError) -> RepeatedCampaign? {
        guard let facts = try campaign(number), facts.isRepeated else { return nil }
        let rows = try db.rows(
            """
            SELECT c.job, c.list, l.version, r.next_at, r.restored_at, c.correlation_id, c.trace_parent
            FROM campaigns c JOIN repeats r ON r.campaign = c.number LEFT JOIN lists l ON l.number = c.list
            WHERE c.number = ?1
            """,
            .int(number)
        )
        guard try rows.next() else { return nil }
        let list = rows.uint32("list")
        return RepeatedCampaign(
            facts: facts,
            job: rows.blob("job"),
            list: list == 0 ? nil : list,
            listVersion: rows.optionalText("version"),
            due: rows.optionalTime("next_at"),
            restoredAt: rows.optionalTime("restored_at"),
            correlationID: rows.text("correlation_id"),
            traceParent: rows.text("trace_parent")
        )
    }
}
