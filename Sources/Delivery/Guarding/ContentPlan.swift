import Campaigns

/// What the ledger writes when the error-ratio guard is asked about a campaign, in the transaction that counted.
public enum ContentPlan: Sendable, Equatable {
    /// Nothing.
    case waits
    /// The campaign waits for a person, for this reason and in these words; the guard counts anew.
    case pauses(AsideReason, detail: String)
    /// The guard counts anew.
    case countsAnew

    /// Decides by the totals of the campaign.
    ///
    /// - Parameters:
    ///   - answers: Devices that the provider has said something final about, in shards with at least one fault.
    ///   - faults: Those among them that were refused for the content's sake.
    ///   - reasons: The provider's words in the settlement that was counted last.
    ///   - campaign: The campaign as it stands.
    ///   - rule: The fleet's.
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
            // Of equal counts the first word, so that everybody says the same.
            let word = reasons.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
            let example = word.map { ", for example \($0)" } ?? ""
            self = .pauses(.content, detail: "\(faults) of \(answers) devices\(example)")
        }
    }
}

extension AsideReason {
    /// The guard that has paused a campaign for this reason, and counts anew when a person resumes it.
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
    /// The error-ratio guard; it is the only one whose trips are counted with the pause, whoever asks for that.
    case content
}
