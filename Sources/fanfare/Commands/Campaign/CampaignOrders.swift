import ArgumentParser
import Campaigns
import Delivery
import Fleet
import Foundation
import NIOPosix
import Store

/// Pauses a campaign.
struct CampaignPauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop opening requests for a campaign until it is resumed.",
        discussion: "Example: fanfare campaign pause news/derby"
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var trial: DryRunOptions
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await CampaignOrder(verb: "pause", campaign: campaign, trial: trial, output: output).run(options) {
            try LifeOrder.pause.give(to: $1, in: $0, $2)
        }
    }
}

/// Resumes a campaign.
struct CampaignResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Let a paused campaign go on, whatever paused it; an open breaker is probed at once.",
        discussion: """
            A campaign that is paused with the reason wrong_environment sends again to the devices that were held back, \
            and pauses again when most of their tokens are still called wrong. Resumed a second time, they are believed \
            to be dead and end invalid.

            One that is paused with the reason content goes on with the devices that were not refused yet, and pauses \
            again when most of the next 200 answers are such refusals too. Resumed a second time, it goes on to its end.

            Example: fanfare campaign resume news/derby
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var trial: DryRunOptions
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await CampaignOrder(verb: "resume", campaign: campaign, trial: trial, output: output).run(options) {
            try LifeOrder.resume.give(to: $1, in: $0, $2)
        }
    }
}

/// Cancels a campaign.
struct CampaignCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End a campaign: devices that were not sent to end cancelled.",
        discussion: "Example: fanfare campaign cancel news/derby --dry-run"
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var trial: DryRunOptions
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await CampaignOrder(verb: "cancel", campaign: campaign, trial: trial, output: output).run(options) {
            try LifeOrder.cancel.give(to: $1, in: $0, $2)
        }
    }
}

/// Fires a held campaign.
struct CampaignFireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fire",
        abstract: "Release a held campaign; firing it again changes nothing.",
        discussion: """
            Times that count from the campaign's release (ttl) begin now. A campaign that is also paused, or whose \
            send_at has not come, begins when that is over.

            Example: fanfare campaign fire news/derby
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var trial: DryRunOptions
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let order = CampaignOrder(verb: "fire", campaign: campaign, trial: trial, output: output, isHasty: true)
        try await order.run(options) { try LifeOrder.fire.give(to: $1, in: $0, $2) }
    }
}

/// Gives an order in one synced transaction and sends a hint; a worker that misses the hint polls within 500 ms.
struct CampaignOrder {
    let verb: String
    let campaign: CampaignArgument
    let trial: DryRunOptions
    let output: OutputOptions
    /// True if the hint has to leave at the moment of the commit, so that the broker is awaited before it.
    var isHasty = false
    /// An additional text for the report.
    var addition = ""

    /// The longest wait for a broker that does not answer.
    private static let patience = Duration.seconds(2)

    func run(
        _ options: ConfigurationOptions,
        _ give: @escaping @Sendable (LedgerTransaction, UInt32, LifeOrder.Circumstances) throws -> LifeResult
    ) async throws {
        let campaign = campaign
        let hint = ControlHint(try options.load().amqp, on: MultiThreadedEventLoopGroup.singleton.next())
        try await options.withLedger { ledger in
            if isHasty { await hint.ready(within: Self.patience) }
            let circumstances = LifeOrder.Circumstances(in: ledger, by: Operator.name)
            let result = try await ledger.order(isDryRun: trial.dryRun) { transaction -> LifeResult in
                let number = try transaction.reader.campaignNumber(app: campaign.app, id: campaign.id)
                return try number.map { try give(transaction, $0, circumstances) } ?? .unknown
            }
            if case .done(let facts) = result, !trial.dryRun {
                if !isHasty { await hint.ready(within: Self.patience) }
                await hint.look(at: "\(facts.app)/\(facts.id)")
                if facts.stage == .cancelled { try await ledger.endCampaign(facts.number) }
            }
            await hint.close()
            if case .done(let facts) = result { return report(facts) }
            if let refusal = result.refusal(of: verb) { throw CommandFailure(refusal) }
            throw campaign.notFound(in: ledger)
        }
    }

    /// Returns the note for a repeated campaign: an order is for the runs to come, as those begun have their own.
    private func aboutRuns(_ facts: CampaignFacts) -> String {
        guard facts.isRepeated else { return "" }
        switch verb {
        case "pause": return "; no run is made until it is resumed, those that have begun go on"
        case "resume": return "; runs that passed meanwhile are not made"
        case "cancel": return "; no run is made any more, those that have begun go on"
        default: return ""
        }
    }

    private func report(_ facts: CampaignFacts) {
        let reasons = facts.pauseReasons.map(\.rawValue).sorted()
        if output.json {
            Terminal.write(trial.marked(facts.orderJSON).text + "\n")
        } else {
            let why = facts.stateWord == "paused" ? " (\(reasons.joined(separator: ", ")))" : ""
            let rate = facts.pace.map { ", at most \(NumberText.grouped($0.perSecond)) a second" } ?? ""
            let verb = trial.dryRun ? "would be" : "is"
            Terminal.write("\(facts.name) \(verb) \(facts.stateWord)\(why)\(rate)\(addition)\(aboutRuns(facts))\n")
        }
    }
}

/// The operator who gives orders here.
enum Operator {
    /// The system's name of the user, under which histories record orders.
    static var name: String { NSUserName().isEmpty ? "an operator" : NSUserName() }
}
