import ArgumentParser
import Campaigns
import Delivery
import Operations
import PushProviders
import Settings
import Store

/// Changes a campaign while it runs.
struct CampaignSetCommand: CampaignOrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Give a campaign another rate, end or urgency while it runs.",
        discussion: """
            A new rate holds within two seconds over the whole fleet, for retries too.

            A new end holds for every shard that is claimed from then on, also for those in queues, and providers are told \
            the new one; running shards are handed over within half a second. Devices that have expired stay expired. \
            A campaign that is cut by time zone takes an instant, which ends all its parts, or a time without an offset, at \
            which each part ends by its own clock.

            A new urgency moves unpublished shards to the other lane. Shards in a queue, on a rung or with a worker \
            finish where they are.

              fanfare campaign set derby --per-second 2000
              fanfare campaign set derby --per-second none
              fanfare campaign set derby --expires-at 2026-11-20T21:30:00Z
              fanfare campaign set derby --urgency urgent

            Example: fanfare campaign set news/derby --per-second 2000
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @Option(help: ArgumentHelp("Requests a second, 1 to 1000000, or none.", valueName: "n"))
    var perSecond: RateArgument?

    @Option(help: ArgumentHelp("The campaign's end, for example 2026-11-20T21:30:00Z.", valueName: "instant"))
    var expiresAt: EndArgument?

    @Option(help: ArgumentHelp("urgent or bulk.", valueName: "urgency"))
    var urgency: String?

    @OptionGroup var flags: OrderFlags

    func validate() throws {
        guard perSecond != nil || expiresAt != nil || urgency != nil else {
            throw ValidationError("say what to change: --per-second, --expires-at or --urgency")
        }
        guard urgency.map({ Urgency(rawValue: $0) != nil }) ?? true else {
            throw ValidationError("--urgency is urgent or bulk")
        }
    }

    func run() async throws {
        let (perSecond, urgency) = (perSecond, urgency.flatMap { Urgency(rawValue: $0) })
        let end = try await end()
        let told = [expiresAt.map { ", until \($0.text)" }, urgency.map { ", \($0.rawValue)" }].compactMap { $0 }
            .joined()
        let order = CampaignOrder(verb: "set") { campaign, transaction, circumstances throws(LedgerError) in
            let (actor, now) = (circumstances.actor, circumstances.now)
            var result = LifeResult.unknown
            // The change that may be refused comes first: a refusal then changes nothing.
            if let end {
                result = try transaction.setEnd(campaign: campaign, end.end, storage: end.storage, by: actor, now: now)
                guard case .done = result else { return result }
            }
            if let perSecond {
                result = try transaction.setPace(campaign: campaign, perSecond.pace, by: actor, now: now)
                guard case .done = result else { return result }
            }
            if let urgency { result = try transaction.setUrgency(campaign: campaign, urgency, by: actor, now: now) }
            return result
        }
        try await give(order, addition: told)
    }

    /// Returns the new end with its bound; nil when the end stays.
    private func end() async throws -> (end: NewEnd, storage: Duration)? {
        guard let expiresAt else { return nil }
        let (campaign, configuration) = (campaign, try flags.options.load())
        return try await flags.options.withLedger { ledger in
            let now = ledger.now()
            let (status, zones) = try await ledger.read { reader in
                let status = try reader.status(app: campaign.app, id: campaign.id, now: now)
                return (status, try status.map { try reader.partZones(campaign: $0.number) } ?? [])
            }
            guard let status else { throw campaign.notFound(in: ledger) }
            // The bound is the shortest storage time among the campaign's providers.
            let known = status.providers.map(\.provider) + [status.lane.provider]
            let storages = known.compactMap { ProviderRegistry.provider(named: $0)?.limits.storage }
            let storage = storages.min() ?? .seconds(ExpiryRule.secondsMax)
            switch expiresAt {
            case .at(let instant): return (.at(instant), storage)
            case .local(let reading):
                let apps = (try? AppsFile.read(path: configuration.appsFile)) ?? []
                let own = apps.first { $0.name == status.app }?.timeZone
                return (.byZone(ZoneClock.instants(of: reading, in: zones, own: own)), storage)
            }
        }
    }
}

/// An end on the command line: an instant, or a local time.
enum EndArgument: ExpressibleByArgument {
    case at(Timestamp)
    case local(LocalTime)

    /// The end as it was understood.
    var text: String {
        switch self {
        case .at(let instant): instant.rfc3339
        case .local(let reading): "\(reading.text) by each part's clock"
        }
    }

    init?(argument: String) {
        if let instant = try? Timestamp(rfc3339: argument) {
            self = .at(instant)
        } else if let reading = LocalTime(text: argument) {
            self = .local(reading)
        } else {
            return nil
        }
    }
}

/// A rate on the command line: a number, or `none`.
struct RateArgument: ExpressibleByArgument {
    let pace: Pace?

    init?(argument: String) {
        if argument == "none" {
            pace = nil
        } else if let rate = Int(argument), (1...1_000_000).contains(rate) {
            pace = Pace(perSecond: rate)
        } else {
            return nil
        }
    }
}
