import Campaigns
import Delivery
import Logging
import Store

/// Reports to the fleet what a worker's loops learn about a provider: refused credentials or content, an outage.
///
/// Confined to its writer's loop.
final class ProviderIncidents {
    private let writer: LedgerWriter
    private let logger: Logger
    var loops = SenderLoops()

    init(writer: LedgerWriter, logger: Logger) {
        self.writer = writer
        self.logger = logger
    }

    /// Pauses the campaign and opens the app's breaker.
    func credentialsRefused(_ key: ShardKey, reason: String) {
        let now = writer.ledger.now()
        writer.ledger.submit(.synced) { transaction in
            let before = try transaction.pause(of: key, reason: .credentials, detail: reason, now: now)
            try transaction.tripBreaker(of: key, Breaker.Trip(reason: reason, since: now), now: now)
            return before?.pausedBy.contains(.credentials) == false
        } completion: { [logger] result in
            // Every shard of the campaign finds out; one line in the whole fleet reports it for all of them.
            if case .success(false) = result { return }
            logger.error(
                "the provider refuses the app's credentials; the campaign is paused",
                metadata: ["shard.campaign": "\(key.campaign)", "reason": "\(reason)"]
            )
        }
    }

    /// Pauses the campaign.
    func contentRefused(_ key: ShardKey, reason: String) {
        logger.error(
            "the provider refuses the campaign's content; the campaign is paused",
            metadata: ["shard.campaign": "\(key.campaign)", "reason": "\(reason)"]
        )
        let now = writer.ledger.now()
        writer.write(.synced, "a pause") { _ = try $0.pause(of: key, reason: .content, detail: reason, now: now) }
    }

    /// Sets the app's shards aside in the whole fleet until a probe finds the provider healthy.
    func tripped(app: String, provider: ProviderName, _ trip: Breaker.Trip) {
        setAside(app: app, provider: provider)
        let now = writer.ledger.now()
        writer.write(.synced, "an open breaker") {
            try $0.tripBreaker(app: app, provider: provider, trip, now: now)
        } then: { [self] isNew in
            // One line in the whole fleet for all loops that find out, and none for each probe.
            guard isNew else { return }
            logger.error(
                "the provider is out for an app; its shards are set aside",
                metadata: ["app": "\(app)", "provider": "\(provider.rawValue)", "reason": "\(trip.reason)"]
            )
            // Claims that were granted before this commit have begun meanwhile.
            setAside(app: app, provider: provider)
        }
    }

    private func setAside(app: String, provider: ProviderName) {
        loops.executeAll { $0.setAside(app: app, provider: provider) }
    }
}
