import Campaigns
package import PushProviders
package import Store

/// A job's content, compiled in each of its languages.
package struct ContentVariants: Sendable {
    /// The provider that the content is for.
    package let provider: any PushProvider
    /// The standard content first, then the job's localizations in their order.
    let pushes: [CompiledPush]
    /// The tags of the localizations.
    let locales: [String]

    init(_ job: Job, _ provider: any PushProvider, carriesMessageID: Bool) {
        self.provider = provider
        locales = job.content.localizations.map(\.locale)
        let standard = provider.compile(job, carriesMessageID: carriesMessageID)
        pushes =
            [standard]
            + locales.indices.map { provider.compile(job.localized($0), carriesMessageID: carriesMessageID) }
    }

    /// The content for devices without a localization.
    package var standard: CompiledPush { pushes[0] }

    /// True if a device's variables matter.
    package var isPersonal: Bool { pushes.contains { !$0.personal.isEmpty } }

    /// Returns the index in `pushes` for a device with that locale.
    func index(of locale: String?) -> Int {
        LocaleFallback.index(of: locale, among: locales).map { $0 + 1 } ?? 0
    }

    /// The variants that the ledger keeps; empty when all devices get the same.
    package var stored: [CampaignVariant] {
        isPersonal || !locales.isEmpty ? all : []
    }

    /// The variants with the provider's own fields, for a campaign with several providers.
    package var content: CampaignContent {
        CampaignContent(
            provider: provider.name,
            pushType: standard.pushType,
            priority: standard.priority,
            collapseID: standard.collapseID,
            variants: all
        )
    }

    private var all: [CampaignVariant] {
        zip([""] + locales, pushes).map { locale, push in
            CampaignVariant(
                locale: locale,
                payload: push.payload,
                messageIDAt: push.messageIDAt,
                personal: push.personal
            )
        }
    }
}
