public import Campaigns

/// What an answer, or its absence, means for one device: providers' classes reduced to what a shard run does.
public enum Verdict: Equatable, Sendable {
    /// The device ended.
    case outcome(Outcome, reason: String?, deadSince: Timestamp?)
    /// Its token is called wrong; the ledger decides whether to believe it (the wrong-environment guard).
    case suspect(reason: String?)
    /// It is sent to again later. `charged`: whether this counts as an attempt.
    case retry(reason: String, retryAfter: Duration?, charged: Bool)
    /// The request was certainly not processed: send it again at once, elsewhere.
    case resend
    /// The answer was about the connection or the credential, not about the device: send it again at once on another
    /// connection; when that does not help, `otherwise`.
    case again(reason: String, otherwise: Otherwise)
    /// Nothing of this app can be sent now; the device stays pending and the shard is set aside.
    case setAside(AsideReason)

    /// What follows when sending again at once did not help.
    public enum Otherwise: Sendable {
        /// The shortest rung, not charged.
        case retry
        /// The shard is set aside with the app.
        case setAside
    }
}

/// Why a shard, or a whole campaign, waits: when the reason ends, the planner publishes what it held back.
public enum AsideReason: String, Sendable, CaseIterable {
    /// An operator paused the campaign.
    case paused
    /// An operator paused its app, provider or urgency: no campaign's own reason, so never stored with one.
    case suspended
    /// It is prepared and waits for `fire`: no campaign's own reason, so never stored with one.
    case held
    /// The provider refuses the app's credentials.
    case credentials
    /// No worker here knows the app.
    case app
    /// Most tokens are called wrong: the credential is for the other environment, or the tokens are.
    case wrongEnvironment = "wrong_environment"
    /// The provider refuses the content, whatever the device.
    case content
    /// The audience is larger than the job's `at_most`.
    case atMost = "at_most"
    /// Devices that the guard holds back until the campaign has enough answers: a row's reason, never a campaign's.
    case `guard`
    /// Devices whose tokens were called wrong once wait for all others: a row's reason, never a campaign's.
    case suspect
    /// The app's breaker is open: no campaign's own reason, so never stored with one.
    case breaker
    /// It waits for its turn under a rate: a row's reason, never a campaign's.
    case rate
    /// Its time zone has quiet hours: a row's reason, never a campaign's.
    case quiet
    /// The worker is stopping, or held the delivery for five minutes: published again at once.
    case handOver

    /// The reasons that stop a campaign until somebody has mended something; not an operator's own pause.
    public static let needingFix: Set<AsideReason> = [.credentials, .wrongEnvironment, .content, .atMost]

    /// The reasons that an operator's `resume` takes away: those that wait for a person.
    public static let endedByResume: [AsideReason] = [.credentials, .wrongEnvironment, .content, .atMost, .paused]
}
