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
        abstract: "Stop opening requests for a campaign until it is resumed."
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await CampaignOrder(verb: "pause", campaign: campaign, isJSON: output.json).run(options) {
            try $0.pause(campaign: $1, by: $2.actor, now: $2.now)
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
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await CampaignOrder(verb: "resume", campaign: campaign, isJSON: output.json).run(options) {
            var result = LifeResult.unknown
            for reason in AsideReason.endedByResume {
                result = try $0.resume(campaign: $1, reason: reason, by: $2.actor, now: $2.now)
            }
            return result
        }
    }
}

/// Cancels a campaign.
struct CampaignCancelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "End a campaign: devices that were not sent to end cancelled."
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await CampaignOrder(verb: "cancel", campaign: campaign, isJSON: output.json).run(options) {
            try $0.cancel(campaign: $1, by: $2.actor, now: $2.now)
        }
    }
}

/// Fires a held campaign.
struct CampaignFireCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fire",
        abstract: "Let a held campaign go; fired twice it is fired once.",
        discussion: """
            What counts from the release of the campaign (ttl) begins now. A campaign that is paused too, or whose send_at \
            has not come, begins when that is over.
            """
    )

    @Argument(help: "ID or APP/ID.")
    var campaign: CampaignArgument

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try await CampaignOrder(verb: "fire", campaign: campaign, isJSON: output.json, isHasty: true).run(options) {
            try $0.fire(campaign: $1, shared: $2.shared, by: $2.actor, now: $2.now)
        }
    }
}

/// An operator's order: one synced transaction, and a hint; a worker that misses it looks within 500 ms by itself.
struct CampaignOrder {
    let verb: String
    let campaign: CampaignArgument
    let isJSON: Bool
    /// The hint is to go at the moment of the commit, so the broker is waited for before it.
    var isHasty = false
    /// What else is told when it is done.
    var addition = ""

    /// When and by whom it is given.
    struct Circumstances: Sendable {
        let now: Timestamp
        /// On the clock that all workers share.
        let shared: Timestamp
        /// For the campaign's history.
        let actor = Operator.name
    }

    /// A broker that does not answer keeps no order waiting for longer.
    private static let patience = Duration.seconds(2)

    func run(
        _ options: ConfigurationOptions,
        _ give: @escaping @Sendable (LedgerTransaction, UInt32, Circumstances) throws -> LifeResult
    ) async throws {
        let campaign = campaign
        let hint = ControlHint(try options.load().amqp, on: MultiThreadedEventLoopGroup.singleton.next())
        try await options.withLedger { ledger in
            if isHasty { await hint.ready(within: Self.patience) }
            let now = CommandClock.now()
            let circumstances = Circumstances(now: now, shared: ledger.sharedTime(now))
            let result = try await ledger.write(.synced) { transaction -> LifeResult in
                let number = try transaction.reader.campaignNumber(app: campaign.app, id: campaign.id)
                return try number.map { try give(transaction, $0, circumstances) } ?? .unknown
            }
            if case .done(let facts) = result {
                if !isHasty { await hint.ready(within: Self.patience) }
                await hint.look(at: "\(facts.app)/\(facts.id)")
            }
            await hint.close()
            switch result {
            case .done(let facts): report(facts)
            case .over(let facts):
                throw CommandFailure(
                    .failed,
                    "\(facts.app)/\(facts.id) is \(facts.stage.rawValue): there is nothing left to \(verb)"
                )
            case .notHeld(let facts):
                throw CommandFailure(
                    .failed,
                    "\(facts.app)/\(facts.id) is not held: only a job with \"hold\": true waits for fire"
                )
            case .wrongEnd(let facts, let problem):
                throw CommandFailure(.usage, "\(facts.app)/\(facts.id) cannot end then: \(problem.text)")
            case .unknown: throw campaign.notFound(in: ledger)
            }
        }
    }

    /// An order to a repeated campaign is for the runs to come; those that have begun have their own.
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
        let isPaused = facts.stage.isLive && !facts.pauseReasons.isEmpty
        let state = isPaused ? "paused" : facts.stage.rawValue
        let reasons = facts.pauseReasons.map(\.rawValue).sorted()
        if isJSON {
            let document = JSONValue.object([
                "id": .string(facts.id), "app": .string(facts.app), "state": .string(state),
                "paused_by": .array(reasons.map(JSONValue.string)),
                "per_second": facts.pace.map { .number(JSONNumber($0.perSecond)) },
                "expires_at": .string(facts.expiresAt.rfc3339),
            ])
            Terminal.write(document.text + "\n")
        } else {
            let why = isPaused ? " (\(reasons.joined(separator: ", ")))" : ""
            let rate = facts.pace.map { ", at most \(NumberText.grouped($0.perSecond)) a second" } ?? ""
            Terminal.write("\(facts.app)/\(facts.id) is \(state)\(why)\(rate)\(addition)\(aboutRuns(facts))\n")
        }
    }
}

extension ExpiryRule.EndProblem {
    fileprivate var text: String {
        switch self {
        case .past(let end): "\(end.rfc3339) has passed"
        case .beforeBegin(let begin): "it, or a part of it, begins at \(begin.rfc3339)"
        case .beyondStorage(let latest): "its provider keeps no push beyond \(latest.rfc3339)"
        case .notByZone: "a time without an offset is for campaigns that are cut by time zone; end it with Z"
        case .repeated: "it is repeated, and each of its runs has an end of its own: name a run"
        }
    }
}

/// Who gives orders here.
enum Operator {
    /// The name that the system has for the user, with which histories say who did something.
    static var name: String { NSUserName().isEmpty ? "an operator" : NSUserName() }
}
