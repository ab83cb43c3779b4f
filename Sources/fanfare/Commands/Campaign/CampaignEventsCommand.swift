import ArgumentParser
import Campaigns
import Delivery
import Operations
import Store

/// Prints a campaign's history.
struct CampaignEventsCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "events",
        abstract: "Print what happened to a campaign, the oldest first: accepted, started, paused and why, by whom, …",
        discussion: """
            Breakers and pauses of its app, from its acceptance to its end, are included. The history is kept as long as the \
            campaign (store.retention.campaigns). With --json an object a line.

              fanfare campaign events derby
              fanfare campaign events derby --follow --json

            Example: fanfare campaign events news/derby --follow
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @Flag(help: "Go on until the campaign is over, or until interrupted.")
    var follow = false

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let campaign = campaign
        try await options.withLedger { ledger in
            let found = try await ledger.read { try $0.campaignNumber(app: campaign.app, id: campaign.id) }
            guard let number = found else { return try await refusal(in: ledger) }
            var last: Int64 = 0
            var partsSeen: Set<String> = []
            while true {
                let (seen, now) = (last, ledger.now())
                let (entries, facts) = try await ledger.read {
                    (try $0.history(campaign: number, after: seen, now: now), try $0.campaign(number))
                }
                guard let facts else { throw campaign.notFound(in: ledger) }
                for entry in entries {
                    if let sequence = entry.sequence { last = max(last, sequence) }
                    let view = HistoryView(entry, app: facts.app, campaign: facts.id)
                    // Entries of parts come from the clock, anew each time.
                    if entry.sequence == nil, !partsSeen.insert(view.json.text).inserted { continue }
                    let line = output.json ? view.json.text : view.text
                    guard Terminal.write(line + "\n") else { throw FanfareExit.failed }
                }
                // A cancelled campaign goes on until its open requests have their answers.
                let isOver = facts.stage == .completed || facts.stage == .failed
                if !follow || isOver || entries.contains(where: { $0.kind == .completed }) { return }
                try await Task.sleep(for: .milliseconds(500))
            }
        }
    }

    /// Prints the one entry of a refused job.
    private func refusal(in ledger: Ledger) async throws {
        let campaign = campaign
        guard let refused = try await ledger.read({ try $0.refusedJob(app: campaign.app, id: campaign.id) }) else {
            throw campaign.notFound(in: ledger)
        }
        let view = HistoryView(HistoryEntry(refused), app: refused.app, campaign: refused.id)
        output.write(view.text, view.json)
    }
}
