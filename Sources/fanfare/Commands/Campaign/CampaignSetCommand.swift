import ArgumentParser
import Campaigns
import Operations
import Settings

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
        let urgency = urgency.flatMap { Urgency(rawValue: $0) }
        let change = CampaignChange(rate: perSecond?.rate, end: expiresAt?.end, urgency: urgency)
        let told = [change.end.map { ", until \($0.text)" }, urgency.map { ", \($0.rawValue)" }].compactMap { $0 }
            .joined()
        let (campaign, configuration) = (campaign, try flags.options.load())
        try await give(CampaignChange.verb, addition: told) { ledger in
            try await change.give(
                app: campaign.app,
                id: campaign.id,
                by: Operator.name,
                in: ledger,
                broker: configuration.amqp,
                apps: (try? AppsFile.read(path: configuration.appsFile)) ?? [],
                isDryRun: flags.isDryRun
            )
        }
    }
}

/// An end on the command line: an instant, or a local time.
struct EndArgument: ExpressibleByArgument {
    let end: CampaignChange.End

    init?(argument: String) {
        guard let end = CampaignChange.End(argument) else { return nil }
        self.end = end
    }
}

/// A rate on the command line: a number, or `none`.
struct RateArgument: ExpressibleByArgument {
    let rate: CampaignChange.Rate

    init?(argument: String) {
        if argument == "none" {
            rate = .unlimited
        } else if let number = Int(argument), CampaignChange.Rate.range.contains(number) {
            rate = .atMost(number)
        } else {
            return nil
        }
    }
}
