/// The ledger's writes after the error-ratio guard has judged a campaign, in the transaction that counted.
public enum ContentPlan: Sendable, Equatable {
    /// Nothing.
    case waits
    /// The campaign waits for a person, with this reason and detail; the guard counts anew.
    case pauses(AsideReason, detail: String)
    /// The guard counts anew.
    case countsAnew

    /// Decides by the totals of the campaign.
    ///
    /// - Parameters:
    ///   - answers: The number of devices with a final answer from the provider, in shards with at least one fault.
    ///   - faults: The number of those that were refused because of the content.
    ///   - reasons: The provider's reasons in the settlement that was counted last.
    ///   - campaign: The campaign as it stands.
    ///   - rule: The fleet's guard.
    public init(
        answers: Int,
        faults: Int,
        reasons: [String: Int],
        of campaign: CampaignFacts,
        rule: ContentGuard = ContentGuard()
    ) {
        switch rule.judge(answers: answers, faults: faults, trips: campaign.contentTrips) {
        case .wait: self = .waits
        case .pass: self = .countsAnew
        case .trip:
            // The first of several equally frequent reasons, so that everybody names the same.
            let word = reasons.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
            let example = word.map { ", for example \($0)" } ?? ""
            self = .pauses(.content, detail: "\(faults) of \(answers) devices\(example)")
        }
    }
}

extension AsideReason {
    /// The guard that pauses campaigns for this reason, and counts anew when a person resumes one.
    public var pausingGuard: PausingGuard? {
        switch self {
        case .wrongEnvironment: .environment
        case .content: .content
        case .paused, .suspended, .held, .credentials, .app, .breaker, .guard, .suspect, .rate, .quiet, .handOver,
            .atMost:
            nil
        }
    }
}

/// A guard that pauses campaigns.
public enum PausingGuard: Sendable, Equatable {
    /// The wrong-environment guard.
    case environment
    /// The error-ratio guard: the only one whose trips are counted with the pause, whoever asks for the pause.
    case content
}
