import Campaigns

/// What the ledger writes when the wrong-environment guard is asked about a campaign, in the transaction that counted.
///
/// Of a campaign of several providers each share is asked about by itself.
public enum EnvironmentPlan: Sendable, Equatable {
    /// Nothing.
    case waits
    /// The campaign waits for a person, for this reason; one trip more is counted.
    case pauses(AsideReason)
    /// The guard lets the campaign go for good.
    case passes

    /// Decides by the totals of the campaign.
    ///
    /// - Parameters:
    ///   - answers: Devices that the provider has said something final about, since the campaign was last resumed.
    ///   - suspects: Those among them whose tokens it called wrong.
    ///   - campaign: The campaign as it stands.
    ///   - isFinished: Whether no other device of it is to be sent to.
    ///   - rule: The fleet's.
    public init(
        answers: Int,
        suspects: Int,
        of campaign: CampaignFacts,
        isFinished: Bool,
        rule: EnvironmentGuard = EnvironmentGuard()
    ) {
        guard !campaign.isGuardPassed, !campaign.pausedBy.contains(.wrongEnvironment) else {
            self = .waits
            return
        }
        switch rule.judge(answers: answers, suspects: suspects, isFinished: isFinished) {
        case .wait: self = .waits
        case .trip: self = .pauses(.wrongEnvironment)
        case .pass: self = .passes
        }
    }

    /// What becomes of each row that the guard has held back: it waits for the person as well, or its devices end.
    public func write(_ held: ShardRecord) throws(UnlawfulShard) -> RowWrite {
        switch self {
        case .waits: .nothing
        case .pauses(let reason): .moves(held.keptBack(for: reason))
        case .passes: .settles(try RowSettling(held, endingHeldAs: .invalid))
        }
    }

    /// Whether all devices of those rows are marked as suspect.
    public var marksSuspects: Bool { self == .passes }

    /// Whether the guard lets a campaign go that a person resumes after so many trips; if not, it counts anew.
    public static func isBelieved(trips: Int) -> Bool { trips >= EnvironmentGuard.tripsMax }

    /// How many devices more of a campaign may be out; `out` is counted only while the guard watches it.
    public static func room<E>(of campaign: CampaignFacts, out: () throws(E) -> Int) throws(E) -> Int {
        campaign.isGuardPassed ? .max : max(0, EnvironmentGuard.outMax - (try out()))
    }

    /// Whether the guard kept a plan with so much room from cutting anything: less than a shard may hold.
    public static func heldBack(cut: Int, room: Int) -> Bool { cut == 0 && room < Shard.devicesMax }

    /// Whether nothing is left of a campaign but what the guard holds back, so that it is finished for the guard.
    ///
    /// - Parameters:
    ///   - campaign: The campaign as it stands.
    ///   - rows: Its rows that are not settled, and those among them that the guard holds back; counted only when it
    ///     may be so.
    public static func isFinished<E>(
        _ campaign: CampaignFacts,
        rows: () throws(E) -> (open: Int, held: Int)
    ) throws(E) -> Bool {
        guard campaign.isPlanned, !campaign.isGuardPassed, campaign.asideReason == nil else { return false }
        let rows = try rows()
        return rows.held > 0 && rows.held == rows.open
    }
}
