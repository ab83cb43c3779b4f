import Campaigns

/// The ledger's writes after the wrong-environment guard has judged a campaign, in the transaction that counted.
///
/// In a campaign of several providers each share is judged by itself.
public enum EnvironmentPlan: Sendable, Equatable {
    /// Nothing.
    case waits
    /// The campaign waits for a person, for this reason; one more trip is counted.
    case pauses(AsideReason)
    /// The guard lets the campaign go permanently.
    case passes

    /// Decides by the totals of the campaign.
    ///
    /// - Parameters:
    ///   - answers: The number of devices with a final answer from the provider since the campaign was last resumed.
    ///   - suspects: The number of those whose tokens the provider called wrong.
    ///   - campaign: The campaign as it stands.
    ///   - isFinished: True if no other device of the campaign is to be sent to.
    ///   - rule: The fleet's guard.
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

    /// The write for each row that the guard has held back: it waits for the person as well, or its devices end.
    public func write(_ held: ShardRecord) throws(UnlawfulShard) -> RowWrite {
        switch self {
        case .waits: .nothing
        case .pauses(let reason): .moves(held.keptBack(for: reason))
        case .passes: .settles(try RowSettling(held, endingHeldAs: .invalid))
        }
    }

    /// True if all devices of those rows are marked as suspect.
    public var marksSuspects: Bool { self == .passes }

    /// Returns true if the guard lets a resumed campaign go after this many trips; otherwise it counts anew.
    public static func isBelieved(trips: Int) -> Bool { trips >= EnvironmentGuard.tripsMax }

    /// Returns how many more of a campaign's devices may be out; calls `out` only while the guard watches the campaign.
    public static func room<E>(of campaign: CampaignFacts, out: () throws(E) -> Int) throws(E) -> Int {
        campaign.isGuardPassed ? .max : max(0, EnvironmentGuard.outMax - (try out()))
    }

    /// Returns true if the guard kept a plan with this much room from cutting: there was less room than a shard may
    /// need.
    public static func heldBack(cut: Int, room: Int) -> Bool { cut == 0 && room < Shard.devicesMax }

    /// Returns true if the guard holds back all that is left of a campaign, so that it is finished for the guard.
    ///
    /// - Parameters:
    ///   - campaign: The campaign as it stands.
    ///   - rows: Returns the numbers of its unsettled rows, and of those among them that the guard holds back. Called
    ///     only if they can matter.
    public static func isFinished<E>(
        _ campaign: CampaignFacts,
        rows: () throws(E) -> (open: Int, held: Int)
    ) throws(E) -> Bool {
        guard campaign.isPlanned, !campaign.isGuardPassed, campaign.asideReason == nil else { return false }
        let rows = try rows()
        return rows.held > 0 && rows.held == rows.open
    }
}
