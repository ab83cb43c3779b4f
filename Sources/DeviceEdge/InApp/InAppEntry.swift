import Campaigns
import PushProviders
import Store

/// A live in-app campaign as sessions see it: its audience, and its message in each language.
struct InAppEntry: Sendable {
    let live: LiveInApp
    let candidate: InAppCandidate
    /// The locales of the localizations, in their order.
    private let locales: [String]
    /// The message in each language, the standard one first.
    private let variants: [Variant]

    fileprivate struct Variant: Sendable {
        /// The members of the message's object after its `m`, with the closing brace.
        var members: [UInt8]
        var addresses: [String]
    }

    /// Returns nil for a job of another kind: the ledger was changed by hand.
    init?(_ live: LiveInApp, job: Job) {
        guard let delivery = job.delivery.inApp, job.content.inApp != nil else { return nil }
        self.live = live
        locales = job.content.localizations.map(\.locale)
        variants = ([nil] + locales.map(Optional.some)).compactMap { locale in
            job.inAppMessage(for: locale).map { Variant($0, delivery, live) }
        }
        candidate = Self.candidate(live, job: job)
    }

    /// Returns the audience of a message that devices ask for.
    static func candidate(_ live: LiveInApp, job: Job) -> InAppCandidate {
        InAppCandidate(
            campaign: live.campaign,
            priority: job.delivery.inApp?.priority ?? 0,
            startsAt: live.startsAt,
            endsAt: live.endsAt,
            repeatAfter: job.delivery.inApp?.repeatAfter,
            audience: selector(job.audience, list: live.list),
            exclude: job.exclude.map { selector($0, list: live.excludedList) }
        )
    }

    /// Inline devices of an audience have become a list by now; those of an exclusion are in the job.
    private static func selector(_ audience: Audience, list: UInt32?) -> InAppSelector {
        switch audience {
        case .everyone: return .everyone
        case .users(let users): return .users(Set(users))
        case .segment(let segment): return .segment(segment)
        case .list: return .list(list ?? 0)
        // No in-app campaign has one.
        case .channel, .activity: return .users([])
        case .devices(let devices):
            if let list { return .list(list) }
            let keys = devices.map {
                InAppDeviceKey(provider: $0.provider, token: ProviderRegistry.tokens.bytes(of: $0))
            }
            return .devices(Set(keys))
        }
    }

    /// The lists that have to be searched for the device's token.
    var lists: [(campaign: UInt32, list: UInt32)] {
        InAppEligibility.lists(of: [candidate]).sorted().map { (campaign: live.campaign, list: $0) }
    }

    /// Appends the message for a locale; `messageID` is nil if the app signs none.
    func write(messageID: String?, locale: String?, into bytes: inout [UInt8]) {
        bytes.append(UInt8(ascii: "{"))
        if let messageID { bytes += Array("\"m\":\"\(messageID)\",".utf8) }
        bytes += variant(locale).members
    }

    /// Returns the addresses of the assets that the app loads beforehand.
    func addresses(locale: String?) -> [String] { variant(locale).addresses }

    private func variant(_ locale: String?) -> Variant {
        variants[LocaleFallback.index(of: locale, among: locales).map { $0 + 1 } ?? 0]
    }
}

extension InAppEntry.Variant {
    init(_ message: InAppMessage, _ delivery: InAppDelivery, _ live: LiveInApp) {
        var when = delivery
        when.startsAt = live.startsAt
        // A message that lasts until it is cancelled has no end.
        when.endsAt = live.endsAt.asEnd
        let members =
            [JSONMember("campaign", .string(live.id))]
            + (message.encoded.members ?? []) + (when.encoded.members ?? [])
        self.members = Array(JSONWriter.bytes(.object(members)).dropFirst())
        addresses = message.addresses
    }
}
