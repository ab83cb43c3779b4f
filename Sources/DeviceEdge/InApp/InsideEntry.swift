import Campaigns
import Operations
import Store

/// A campaign that apps show by themselves, as sessions see it.
struct InsideEntry: Sendable {
    /// The app's devices that the campaign is for.
    enum Meant: Sendable {
        /// The devices that are in the audience when they ask; no push is sent.
        ///
        /// The message ids name devices of the registry.
        case audience(InAppCandidate)
        /// The devices that no push could reach.
        ///
        /// The message ids are those of the pushes.
        case unnotified(UnnotifiedDevices)
    }

    let campaign: UInt32
    let releasedAt: Timestamp
    let expiresAt: Timestamp
    let meant: Meant
    private let job: Job
    private let locales: [String]

    /// Creates the entry of a campaign with `show: in_app`; nil for every other.
    init?(_ live: LiveInApp, job: Job) {
        guard job.delivery.show == .inApp, job.kind.mayBeToldInside else { return nil }
        let candidate = InAppEntry.candidate(live, job: job)
        self.init(live.campaign, live.releasedAt, live.endsAt, .audience(candidate), job)
    }

    /// Creates the entry of a campaign whose pushes did not reach all devices.
    init(_ campaign: UnnotifiedCampaign, job: Job, devices: UnnotifiedDevices) {
        self.init(campaign.campaign, campaign.releasedAt, campaign.expiresAt, .unnotified(devices), job)
    }

    private init(_ campaign: UInt32, _ releasedAt: Timestamp, _ expiresAt: Timestamp, _ meant: Meant, _ job: Job) {
        (self.campaign, self.releasedAt, self.expiresAt) = (campaign, releasedAt, expiresAt)
        (self.meant, self.job) = (meant, job)
        locales = job.content.localizations.map(\.locale)
    }

    /// The lists that have to be searched for the device's token.
    var lists: [(campaign: UInt32, list: UInt32)] {
        guard case .audience(let candidate) = meant else { return [] }
        return InAppEligibility.lists(of: [candidate]).sorted().map { (campaign: campaign, list: $0) }
    }

    /// Returns the device's index in the campaign's message ids, if the app may show it; the audience is not checked.
    func index(of device: RegisteredDevice) -> UInt32? {
        switch meant {
        case .audience: UInt32(truncatingIfNeeded: device.number)
        case .unnotified(let devices): devices.index(of: device)
        }
    }

    /// Returns true if the campaign is for a device, whatever the device has been shown before.
    func isFor(_ device: InAppDevice, at now: Timestamp) -> Bool {
        switch meant {
        case .audience(let candidate): InAppEligibility.isMeant(candidate, device, at: now)
        case .unnotified: releasedAt <= now && now < expiresAt
        }
    }

    /// Returns the texts that the app shows in a locale's language, with the object that a push would carry.
    func notification(locale: String?, rules: AppContentRules, messageID: String) -> JSONValue {
        let localized = job.localized(LocaleFallback.index(of: locale, among: locales))
        return InsideNotification.json(localized, rules: rules, messageID: messageID, expiresAt: expiresAt)
    }
}
