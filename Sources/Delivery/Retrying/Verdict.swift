public import Campaigns

/// The meaning of an answer, or of its absence, for one device: providers' classes reduced to a shard run's actions.
public enum Verdict: Equatable, Sendable {
    /// The device ended.
    case outcome(Outcome, reason: String?, deadSince: Timestamp?)
    /// The token is called wrong; the ledger decides whether to believe it (the wrong-environment guard).
    case suspect(reason: String?)
    /// The device is sent to again later. `charged`: true if this counts as an attempt.
    case retry(reason: String, retryAfter: Duration?, charged: Bool)
    /// The request was certainly not processed: send it again at once, elsewhere.
    case resend
    /// The answer was about the connection or the credential, not about the device.
    ///
    /// Send it again at once on another connection; if that does not help, do `otherwise`.
    case again(reason: String, otherwise: Otherwise)
    /// Nothing of this app can be sent now; the device stays pending and the shard is set aside.
    case setAside(AsideReason)

    /// The action if sending again at once did not help.
    public enum Otherwise: Sendable {
        /// The shortest rung, not charged.
        case retry
        /// The shard is set aside with the app.
        case setAside
    }
}

/// The reason why a shard, or a whole campaign, waits; when it ends, the planner publishes what was held back.
public enum AsideReason: String, Sendable, CaseIterable {
    /// An operator paused the campaign.
    case paused
    /// An operator paused its app, provider or urgency: not a campaign's own reason, so never stored with one.
    case suspended
    /// The campaign is prepared and waits for `fire`: not a campaign's own reason, so never stored with one.
    case held
    /// The provider refuses the app's credentials.
    case credentials
    /// No worker here knows the app.
    case app
    /// Most tokens are called wrong: either the credential or the tokens are for the other environment.
    case wrongEnvironment = "wrong_environment"
    /// The provider refuses the content, whatever the device.
    case content
    /// The audience is larger than the job's `at_most`.
    case atMost = "at_most"
    /// The guard holds devices back until the campaign has enough answers: a row's reason, never a campaign's.
    case `guard`
    /// Devices whose tokens were called wrong once wait for all others: a row's reason, never a campaign's.
    case suspect
    /// The app's breaker is open: not a campaign's own reason, so never stored with one.
    case breaker
    /// The shard waits for its turn under a rate: a row's reason, never a campaign's.
    case rate
    /// Its time zone has quiet hours: a row's reason, never a campaign's.
    case quiet
    /// The worker is stopping, or held the delivery for five minutes: published again at once.
    case handOver

    /// The reasons that stop a campaign until somebody has fixed something; an operator's own pause is none.
    public static let needingFix: Set<AsideReason> = [.credentials, .wrongEnvironment, .content, .atMost]

    /// The reasons that an operator's `resume` removes: those that wait for a person.
    public static let endedByResume: [AsideReason] = [.credentials, .wrongEnvironment, .content, .atMost, .paused]
}
