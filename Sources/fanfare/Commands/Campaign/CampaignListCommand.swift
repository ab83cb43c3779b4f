import ArgumentParser
import Campaigns
import Delivery
import Fleet
import Store

/// The campaigns of the ledger.
struct CampaignListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the campaigns, the latest first."
    )

    @Option(help: "Only this app's.")
    var app: String?

    @Option(help: "Only those in this state, for example sending or paused; may be repeated.")
    var state: [String] = []

    @Option(help: "How many at most.")
    var limit = 50

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        guard limit > 0 else { throw ValidationError("--limit is a number from 1") }
        let known = ["paused"] + CampaignStage.allCases.map(\.rawValue).filter { $0 != CampaignStage.refused.rawValue }
        guard state.allSatisfy(known.contains) else {
            throw ValidationError("--state is one of \(known.joined(separator: ", "))")
        }
    }

    func run() async throws {
        let (app, limit) = (app, limit)
        let states = state.isEmpty ? nil : Set(state)
        let rows = try await options.withLedger { ledger in
            let found = try await ledger.read { try $0.campaigns(app: app, states: states, limit: limit) }
            return try await Self.rows(found, in: ledger)
        }
        let text = output.json ? JSONValue.array(rows.map(\.json)).text : CampaignRow.table(rows)
        Terminal.write(text + "\n")
    }

    /// The rows; campaigns that are being sent are looked at twice, for their rates.
    private static func rows(_ found: [CampaignSummary], in ledger: Ledger) async throws -> [CampaignRow] {
        var rows = found.map { CampaignRow($0) }
        let sending = rows.indices.filter { rows[$0].state == "sending" }.prefix(sendingMax)
        guard !sending.isEmpty else { return rows }
        let numbers = sending.map { found[$0].facts.number }
        var meters = sending.map { _ in RateMeter() }
        for round in 0..<2 {
            if round > 0 { try await Task.sleep(for: .milliseconds(300)) }
            for (place, index) in sending.enumerated() {
                let now = CommandClock.now()
                let number = numbers[place]
                guard let status = try await ledger.read({ try $0.status(campaign: number, now: now) }) else {
                    continue
                }
                var view = CampaignStatusView(status)
                view.note(rate: meters[place].rate(total: view.outcomes.total, now: now), now: now)
                (rows[index].rate, rows[index].etaAt) = (view.rate, view.etaAt)
            }
        }
        return rows
    }

    /// Of more than these the rates are not asked for.
    private static let sendingMax = 20
}
