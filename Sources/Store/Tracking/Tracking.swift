public import Campaigns
public import Delivery

/// The result of a batch of phones' reports.
public struct TrackingResult: Sendable, Equatable {
    /// New events and answers.
    public var counted = 0
    /// Events and answers that the ledger already had.
    public var repeated = 0
    /// Events and answers for campaigns that the ledger does not know, or that belong to another app.
    public var unknown = 0
    /// Events and answers for campaigns whose rows of single phones are purged, so that repeats cannot be detected.
    public var late = 0

    /// An empty result.
    public init() {}

    /// The sum of two results.
    public static func + (left: TrackingResult, right: TrackingResult) -> TrackingResult {
        var sum = left
        sum.counted += right.counted
        sum.repeated += right.repeated
        sum.unknown += right.unknown
        sum.late += right.late
        return sum
    }
}

/// A surface and a type in one column.
struct TrackedStep: Hashable {
    var surface: TrackedSurface
    var type: TrackedType

    var number: Int64 { Int64(type.rawValue) + 16 * Int64(surface.rawValue) }

    init(_ surface: TrackedSurface, _ type: TrackedType) {
        (self.surface, self.type) = (surface, type)
    }

    init?(_ number: Int64) {
        guard let type = TrackedType(rawValue: UInt8(truncatingIfNeeded: number & 15)),
            let surface = TrackedSurface(rawValue: UInt8(truncatingIfNeeded: number >> 4))
        else { return nil }
        (self.surface, self.type) = (surface, type)
    }
}

extension LedgerTransaction {
    /// The limit of different buttons or reasons counted per step of a campaign; they come from phones and must be
    /// bounded.
    public static let trackedDetailsMax = 64
    /// The detail under which all others are counted.
    public static let otherDetail = "(other)"
    /// The numbers of rows per statement, largest first; only a few, so that all statements stay prepared.
    private static let rowsOfStatements = [128, 16, 1]

    /// Writes phones' reports; repeats, in any order, change nothing.
    ///
    /// Totals are increased by the new rows in the same transaction. Pass a few thousand entries at most.
    public func track(
        _ entries: [TrackingBatch.Entry],
        _ retention: Retention,
        now: Timestamp
    ) throws(LedgerError) -> TrackingResult {
        var result = TrackingResult()
        var campaigns: [UInt32: Standing] = [:]
        var rows: [Row] = []
        var details = try TrackedDetails(self)
        for entry in entries {
            let device = entry.device
            let standing: Standing
            if let known = campaigns[device.campaign] {
                standing = known
            } else {
                standing = try self.standing(of: device.campaign, retention, now: now)
                campaigns[device.campaign] = standing
            }
            guard standing.app == device.app else {
                result.unknown += 1
                continue
            }
            guard !standing.isOver else {
                result.late += 1
                continue
            }
            switch entry {
            case .answers(let answers):
                if try answer(answers) { result.counted += 1 } else { result.repeated += 1 }
            case .event(let event):
                let step = TrackedStep(event.surface, event.type)
                if event.surface == .inApp, event.type == .displayed {
                    try noteInAppDisplay(campaign: device.campaign, device: device.registered, at: event.at)
                }
                if !event.detail.isEmpty {
                    let detail = try details.counted(event.detail, device.campaign, step)
                    rows.append(Row(event: event, step: step, detail: detail))
                }
                rows.append(Row(event: event, step: step, detail: ""))
            }
        }
        let new = try insert(rows)
        let fresh = Self.freshEvents(new)
        result.counted += fresh
        result.repeated += rows.count { $0.detail.isEmpty } - fresh
        for (total, devices) in new {
            try db.run(
                """
                INSERT INTO tracking_totals (campaign, step, detail, devices) VALUES (?1, ?2, ?3, ?4)
                ON CONFLICT (campaign, step, detail) DO UPDATE SET devices = tracking_totals.devices + excluded.devices
                """,
                .int(total.campaign),
                .integer(total.step),
                .text(total.detail),
                .int(devices)
            )
        }
        return result
    }

    private struct Row {
        var event: TrackingEvent
        var step: TrackedStep
        var detail: String
    }

    private struct Total: Hashable {
        var campaign: Int64
        var step: Int64
        var detail: String
    }

    /// The number of events with a new row: a device's second button has a new row with its detail but none without.
    private static func freshEvents(_ new: [Total: Int]) -> Int {
        var steps: [Total: (plain: Int, named: Int)] = [:]
        for (total, rows) in new {
            let step = Total(campaign: total.campaign, step: total.step, detail: "")
            if total.detail.isEmpty {
                steps[step, default: (0, 0)].plain += rows
            } else {
                steps[step, default: (0, 0)].named += rows
            }
        }
        return steps.values.reduce(0) { $0 + max($1.plain, $1.named) }
    }

    private struct Standing {
        var app: String?
        /// True if the rows of single phones are purged, or may be at any moment.
        var isOver = false
    }

    private func standing(
        of campaign: UInt32,
        _ retention: Retention,
        now: Timestamp
    ) throws(LedgerError) -> Standing {
        let rows = try db.rows("SELECT app, completed_at FROM campaigns WHERE number = ?1", .int(campaign))
        guard try rows.next() else { return Standing() }
        let isOver = retention.forgetsTracking(completedAt: rows.optionalTime("completed_at"), now: now)
        return Standing(app: rows.text("app"), isOver: isOver)
    }

    /// Inserts rows and returns the number of new ones in each total.
    private func insert(_ rows: [Row]) throws(LedgerError) -> [Total: Int] {
        var new: [Total: Int] = [:]
        for range in RowBatches.ranges(rows.count, sizes: Self.rowsOfStatements) { try insert(rows[range], &new) }
        return new
    }

    private func insert(_ rows: ArraySlice<Row>, _ new: inout [Total: Int]) throws(LedgerError) {
        var values: [SQLValue] = []
        values.reserveCapacity(rows.count * 6)
        for row in rows {
            values.append(.int(row.event.device.campaign))
            values.append(.integer(row.step.number))
            values.append(.int(row.event.device.index))
            values.append(.text(row.detail))
            values.append(.integer(row.event.device.registered))
            values.append(.time(row.event.at))
        }
        let inserted = try db.writtenRows(TrackedRows.insertion(of: rows.count), values: values, scope: .ledger)
        while try inserted.next() {
            new[
                Total(
                    campaign: inserted.int64("campaign"),
                    step: inserted.int64("step"),
                    detail: inserted.text("detail")
                ),
                default: 0
            ] += 1
        }
    }

    /// Writes a device's answers to a poll unless it has answered already; returns true if they count.
    private func answer(_ answers: PollAnswers) throws(LedgerError) -> Bool {
        let said = JSONValue.object(
            answers.answers.map { JSONMember($0.question, .array($0.choices.map { .string($0) })) }
        )
        let added = try db.run(
            """
            INSERT INTO poll_answers (campaign, device, registered, at, answers) VALUES (?1, ?2, ?3, ?4, ?5)
            ON CONFLICT (campaign, device) DO NOTHING
            """,
            .int(answers.device.campaign),
            .int(answers.device.index),
            .integer(answers.device.registered),
            .time(answers.at),
            .text(said.text)
        )
        guard added > 0 else { return false }
        try countChoice("", "", of: answers.device.campaign)
        for answer in answers.answers {
            for choice in answer.choices { try countChoice(answer.question, choice, of: answers.device.campaign) }
        }
        return true
    }

    private func countChoice(_ question: String, _ choice: String, of campaign: UInt32) throws(LedgerError) {
        try db.run(
            """
            INSERT INTO poll_totals (campaign, question, choice, devices) VALUES (?1, ?2, ?3, 1)
            ON CONFLICT (campaign, question, choice) DO UPDATE SET devices = poll_totals.devices + 1
            """,
            .int(campaign),
            .text(question),
            .text(choice)
        )
    }
}

/// The statements that insert several rows at once.
private enum TrackedRows {
    static func insertion(of count: Int) -> String {
        switch count {
        case 128: most
        case 16: some
        default: one
        }
    }

    private static let most = text(128)
    private static let some = text(16)
    private static let one = text(1)

    private static func text(_ count: Int) -> String {
        """
        INSERT INTO tracked (campaign, step, device, detail, registered, at) VALUES
        \(Placeholders.rows(count, columns: 6))
        ON CONFLICT (campaign, step, device, detail) DO NOTHING RETURNING campaign, step, detail
        """
    }
}

/// The buttons and reasons that are counted, for the campaigns of one batch.
private struct TrackedDetails {
    private struct Key: Hashable {
        var campaign: UInt32
        var step: Int64
    }

    private let db: any LedgerConnection
    private var known: [Key: Set<String>] = [:]

    init(_ transaction: LedgerTransaction) throws(LedgerError) {
        db = transaction.db
    }

    /// Returns the detail, or `otherDetail` if there are too many already.
    mutating func counted(_ detail: String, _ campaign: UInt32, _ step: TrackedStep) throws(LedgerError) -> String {
        let key = Key(campaign: campaign, step: step.number)
        if known[key] == nil {
            let rows = try db.rows(
                "SELECT detail FROM tracking_totals WHERE campaign = ?1 AND step = ?2",
                .int(campaign),
                .integer(step.number)
            )
            var found: Set<String> = []
            while try rows.next() { if !rows.text("detail").isEmpty { found.insert(rows.text("detail")) } }
            known[key] = found
        }
        if known[key]?.contains(detail) == true { return detail }
        guard known[key]?.count ?? 0 < LedgerTransaction.trackedDetailsMax else { return LedgerTransaction.otherDetail }
        known[key]?.insert(detail)
        return detail
    }
}
