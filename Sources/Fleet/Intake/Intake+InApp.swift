import Campaigns
import Delivery
import Operations
import Store

/// In-app campaigns, and those whose message the app fetches: accepted like all others, compiled for no provider.
extension Intake {
    /// The name in place of a campaign's provider; no provider has it.
    static let inAppProvider = ProviderName(rawValue: "in_app")

    func newInApp(
        _ job: Job,
        _ identity: [UInt8],
        _ warnings: [Problem],
        _ origin: Origin,
        now: Timestamp
    ) async throws -> NewCampaign {
        let expiresAt = job.expiresAt(acceptedAt: now)
        let facts = Shard.Facts(
            app: job.app,
            campaignID: job.id,
            provider: Self.inAppProvider,
            environment: nil,
            policy: DeliveryPolicy(maxAttempts: 1),
            pushType: .alert,
            priority: 5,
            expiresAt: expiresAt,
            collapseID: "",
            payload: [],
            traceParent: origin.traceParent
        )
        var excluded: UInt32?
        if case .list(let name, let version) = job.exclude {
            excluded = try await list(app: job.app, name: name, version: version)
        }
        return NewCampaign(
            identity: identity,
            job: job.storedJSON(),
            kind: job.kind,
            content: NamedContent.brought(by: job),
            name: job.name,
            tags: job.tags,
            metadata: job.metadata,
            facts: facts,
            audience: try await audience(job),
            createdAt: job.createdAt ?? now,
            release: NewCampaign.Release(
                sendAt: job.delivery.inApp?.startsAt ?? job.delivery.sendAt,
                isHeld: job.delivery.hold,
                seconds: job.kind == .inApp ? nil : job.delivery.expiry.secondsFromRelease
            ),
            inApp: NewInApp(excludedList: excluded),
            correlationID: origin.correlationID,
            event: CampaignEvent.accepted(job, expiresAt: expiresAt, warnings: warnings, at: now)
        )
    }
}
