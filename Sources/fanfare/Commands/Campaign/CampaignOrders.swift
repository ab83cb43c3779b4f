import ArgumentParser
import Campaigns
import Delivery
import Foundation
import Operations
import Settings
import Store

/// Pauses a campaign.
struct CampaignPauseCommand: CampaignOrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Stop opening requests for a campaign until it is resumed.",
        discussion: "Example: fanfare campaign pause news/derby"
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var flags: OrderFlags

    func run() async throws {
        try await give(.pause)
    }
}

/// Resumes a campaign.
struct CampaignResumeCommand: CampaignOrderCommand {
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

    @OptionGroup var flags: OrderFlags

    func run() async throws {
        try await give(.resume)
    }
}

/// Cancels a campaign.
struct CampaignCancelCommand: CampaignOrderCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End a campaign: devices that were not sent to end cancelled.",
        discussion: "Example: fanfare campaign cancel news/derby --dry-run"
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var flags: OrderFlags

    func run() async throws {
        try await give(.cancel)
    }
}

/// Fires a held campaign.
struct CampaignFireCommand: CampaignOrderCommand {
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

    @OptionGroup var flags: OrderFlags

    func run() async throws {
        try await give(.fire)
    }
}

/// A command that gives an order to a campaign.
protocol CampaignOrderCommand: AsyncParsableCommand {
    var campaign: CampaignArgument { get }
    var flags: OrderFlags { get }
}

extension CampaignOrderCommand {
    /// Gives an order of the campaign's life and prints the campaign's state.
    func give(_ order: LifeOrder) async throws {
        let (campaign, broker) = (campaign, try flags.options.load().amqp)
        try await give(order.rawValue) { ledger in
            try await CampaignOrder(order).give(
                app: campaign.app,
                id: campaign.id,
                by: Operator.name,
                in: ledger,
                broker: broker,
                isDryRun: flags.isDryRun
            )
        }
    }

    /// Gives an order and prints the campaign's state; `addition` ends the line for people.
    func give(
        _ verb: String,
        addition: String = "",
        _ give: (Ledger) async throws -> LifeResult
    ) async throws {
        try await flags.options.withLedger { ledger in
            let result = try await give(ledger)
            if case .done(let facts) = result { return report(facts, verb, addition) }
            if let refusal = result.refusal(of: verb) { throw CommandFailure(refusal) }
            throw campaign.notFound(in: ledger)
        }
    }

    /// Returns the note for a repeated campaign: an order is for the runs to come, as those begun have their own.
    private func aboutRuns(_ facts: CampaignFacts, _ verb: String) -> String {
        guard facts.isRepeated else { return "" }
        switch verb {
        case "pause": return "; no run is made until it is resumed, those that have begun go on"
        case "resume": return "; runs that passed meanwhile are not made"
        case "cancel": return "; no run is made any more, those that have begun go on"
        default: return ""
        }
    }

    private func report(_ facts: CampaignFacts, _ verb: String, _ addition: String) {
        let reasons = facts.pauseReasons.map(\.rawValue).sorted()
        let why = facts.stateWord == "paused" ? " (\(reasons.joined(separator: ", ")))" : ""
        let rate = facts.pace.map { ", at most \(NumberText.grouped($0.perSecond)) a second" } ?? ""
        let tense = flags.isDryRun ? "would be" : "is"
        let rest = why + rate + addition + aboutRuns(facts, verb)
        flags.write("\(facts.name) \(tense) \(facts.stateWord)\(rest)", facts.orderJSON)
    }
}

/// The operator who gives orders here.
enum Operator {
    /// The system's name of the user, under which histories record orders.
    static var name: String { NSUserName().isEmpty ? "an operator" : NSUserName() }
}
