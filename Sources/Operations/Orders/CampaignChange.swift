package import Campaigns
import Delivery
import PushProviders
package import Settings
package import Store
package import Transport

/// A change of a campaign while it runs: another rate, end or urgency.
package struct CampaignChange: Sendable, Equatable {
    /// A new rate.
    package enum Rate: Sendable, Equatable {
        /// As fast as the fleet can.
        case unlimited
        /// At most this many requests a second.
        case atMost(Int)

        /// The rates that a campaign may have.
        package static let range = 1...1_000_000

        fileprivate var pace: Pace? {
            switch self {
            case .unlimited: nil
            case .atMost(let rate): Pace(perSecond: rate)
            }
        }
    }

    /// A new end.
    package enum End: Sendable, Equatable {
        /// An instant, for all parts too.
        case at(Timestamp)
        /// A reading of each part's own clock.
        case local(LocalTime)

        /// Reads an instant, or a time without an offset; nil for another text.
        package init?(_ text: String) {
            if let instant = try? Timestamp(rfc3339: text) {
                self = .at(instant)
            } else if let reading = LocalTime(text: text) {
                self = .local(reading)
            } else {
                return nil
            }
        }

        /// The end as it was understood.
        package var text: String {
            switch self {
            case .at(let instant): instant.rfc3339
            case .local(let reading): "\(reading.text) by each part's clock"
            }
        }
    }

    /// The new rate; nil when it stays.
    package var rate: Rate?
    /// The new end; nil when it stays.
    package var end: End?
    /// The new urgency; nil when it stays.
    package var urgency: Urgency?

    /// Creates a change of what is not nil.
    package init(rate: Rate? = nil, end: End? = nil, urgency: Urgency? = nil) {
        self.rate = rate
        self.end = end
        self.urgency = urgency
    }

    /// The word of the order, for refusals.
    package static let verb = "set"

    /// Gives the order; parameters as those of ``CampaignOrder``.
    ///
    /// `apps` are those that this host knows: an app's zone is the clock of devices without one.
    package func give(
        app: String?,
        id: String,
        by actor: String,
        in ledger: Ledger,
        broker: AMQPEndpoint,
        apps: @autoclosure () -> [AppConfiguration],
        isDryRun: Bool = false
    ) async throws(LedgerError) -> LifeResult {
        let end: (end: NewEnd, storage: Duration)?
        if let wanted = self.end {
            end = try await bounded(wanted, app: app, id: id, in: ledger, apps: apps)
            if end == nil { return .unknown }
        } else {
            end = nil
        }
        let order = CampaignOrder { campaign, transaction, circumstances throws(LedgerError) in
            let (actor, now) = (circumstances.actor, circumstances.now)
            var result = LifeResult.unknown
            // The change that may be refused comes first: a refusal then changes nothing.
            if let end {
                result = try transaction.setEnd(campaign: campaign, end.end, storage: end.storage, by: actor, now: now)
                guard case .done = result else { return result }
            }
            if let rate {
                result = try transaction.setPace(campaign: campaign, rate.pace, by: actor, now: now)
                guard case .done = result else { return result }
            }
            if let urgency { result = try transaction.setUrgency(campaign: campaign, urgency, by: actor, now: now) }
            return result
        }
        return try await order.give(app: app, id: id, by: actor, in: ledger, broker: broker, isDryRun: isDryRun)
    }

    /// Returns a new end with its bound, the shortest storage time among the campaign's providers; nil for an unknown
    /// campaign.
    private func bounded(
        _ end: End,
        app: String?,
        id: String,
        in ledger: Ledger,
        apps: () -> [AppConfiguration]
    ) async throws(LedgerError) -> (end: NewEnd, storage: Duration)? {
        let now = ledger.now()
        let (found, zones) = try await ledger.read { reader in
            let status = try reader.status(app: app, id: id, now: now)
            return (status, try status.map { try reader.partZones(campaign: $0.number) } ?? [])
        }
        guard let status = found else { return nil }
        let known = status.providers.map(\.provider) + [status.lane.provider]
        let storages = known.compactMap { ProviderRegistry.provider(named: $0)?.limits.storage }
        let storage = storages.min() ?? .seconds(ExpiryRule.secondsMax)
        switch end {
        case .at(let instant): return (.at(instant), storage)
        case .local(let reading):
            let own = apps().first { $0.name == status.app }?.timeZone
            return (.byZone(ZoneClock.instants(of: reading, in: zones, own: own)), storage)
        }
    }
}
