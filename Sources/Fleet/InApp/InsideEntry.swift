import Campaigns
import Store

/// A campaign that apps tell of by themselves, as sessions see it.
struct InsideEntry: Sendable {
    /// Which of the app's devices it is for.
    enum Meant: Sendable {
        /// Those that its audience has when they ask; no push is sent. Its message ids name devices of the registry.
        case audience(InAppCandidate)
        /// Those that no push could reach. Its message ids are those of the pushes.
        case untold(UntoldDevices)
    }

    let campaign: UInt32
    let releasedAt: Timestamp
    let expiresAt: Timestamp
    let meant: Meant
    private let job: Job
    private let locales: [String]

    /// A campaign with `show: in_app`; nil of every other.
    init?(_ live: LiveInApp, job: Job) {
        guard job.delivery.show == .inApp, job.kind.mayBeToldInside else { return nil }
        let candidate = InAppEntry.candidate(live, job: job)
        self.init(live.campaign, live.releasedAt, live.endsAt, .audience(candidate), job)
    }

    /// A campaign whose pushes did not reach all.
    init(_ campaign: UntoldCampaign, job: Job, devices: UntoldDevices) {
        self.init(campaign.campaign, campaign.releasedAt, campaign.expiresAt, .untold(devices), job)
    }

    private init(_ campaign: UInt32, _ releasedAt: Timestamp, _ expiresAt: Timestamp, _ meant: Meant, _ job: Job) {
        (self.campaign, self.releasedAt, self.expiresAt) = (campaign, releasedAt, expiresAt)
        (self.meant, self.job) = (meant, job)
        locales = job.content.localizations.map(\.locale)
    }

    /// The lists that it asks for a token.
    var lists: [(campaign: UInt32, list: UInt32)] {
        guard case .audience(let candidate) = meant else { return [] }
        return InAppEligibility.lists(of: [candidate]).sorted().map { (campaign: campaign, list: $0) }
    }

    /// The device's index in the campaign's message ids, if it may be told of it; its audience is judged apart.
    func index(of device: RegisteredDevice) -> UInt32? {
        switch meant {
        case .audience: UInt32(truncatingIfNeeded: device.number)
        case .untold(let devices): devices.index(of: device)
        }
    }

    /// Tells whether it is for a device, apart from what was told of it before.
    func isFor(_ device: InAppDevice, at now: Timestamp) -> Bool {
        switch meant {
        case .audience(let candidate): InAppEligibility.isMeant(candidate, device, at: now)
        case .untold: releasedAt <= now && now < expiresAt
        }
    }

    /// The texts that the app shows in a locale's language, with the object that a push would carry.
    func notification(locale: String?, rules: AppContentRules, messageID: String) -> JSONValue {
        let localized = job.localized(LocaleFallback.index(of: locale, among: locales))
        return InsideNotification.json(localized, rules: rules, messageID: messageID, expiresAt: expiresAt)
    }
}
