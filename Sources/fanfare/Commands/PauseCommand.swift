import ArgumentParser
import Campaigns
import Delivery
import Operations
import Store

/// A selection of campaigns by app, provider and urgency.
struct PauseScopeOptions: ParsableArguments {
    @Option(help: "Only campaigns of this app.")
    var app: String?

    @Option(help: ArgumentHelp("Only by this provider.", valueName: "name"))
    var provider: String?

    @Option(help: ArgumentHelp("Only urgent or only bulk ones.", valueName: "urgency"))
    var urgency: String?

    /// Returns the scope; throws for unknown names, which would pause nothing.
    func scope(in ledger: Ledger) async throws -> PauseScope {
        let (scope, problems) = try await FleetPause.scope(app: app, provider: provider, urgency: urgency, in: ledger)
        guard problems.isEmpty else {
            let title = "The ledger \(ledger.path) has no such campaigns"
            throw CommandFailure(ProblemDocument(.usage, title: title, errors: problems))
        }
        return scope
    }
}

/// Pauses more than one campaign.
struct PauseCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Open no requests for an app, a provider, an urgency, or at all, until they are resumed.",
        discussion: """
            It holds for campaigns that come later, too, and for every worker within a second. Devices stay pending; what \
            expires meanwhile ends expired.

              fanfare pause --app news
              fanfare pause --provider apns --urgency bulk
              fanfare pause

            Example: fanfare pause --app news --provider fcm
            """
    )

    @OptionGroup var which: PauseScopeOptions
    @OptionGroup var flags: OrderFlags

    func run() async throws {
        try await flags.options.withLedger { ledger in
            let scope = try await which.scope(in: ledger)
            let (isNew, pauses) = try await FleetPause.begin(
                scope,
                by: Operator.name,
                in: ledger,
                isDryRun: flags.isDryRun
            )
            let verb = isNew && flags.isDryRun ? "would be paused" : isNew ? "is paused" : "is paused already"
            flags.write("\(scope) \(verb)", FleetPause.json(pauses))
        }
    }
}

/// Ends such pauses.
struct ResumeCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "End pauses of an app, a provider or an urgency; without options, all of them.",
        discussion: """
            Pauses that hold back more than the named scope stay. A campaign's own pause stays as well: see \
            fanfare campaign resume.

              fanfare resume --app news
              fanfare resume

            Example: fanfare resume --app news --provider fcm
            """
    )

    @OptionGroup var which: PauseScopeOptions
    @OptionGroup var flags: OrderFlags

    func run() async throws {
        try await flags.options.withLedger { ledger in
            let scope = try await which.scope(in: ledger)
            let (ended, left) = try await FleetPause.end(
                scope,
                by: Operator.name,
                in: ledger,
                isDryRun: flags.isDryRun
            )
            let still = left.filter { $0.scope.meets(scope) }
            let verb = flags.isDryRun ? "would go on" : "goes on"
            var lines = ended.map { "\($0.scope) \(verb)" }
            if lines.isEmpty, still.isEmpty { lines = ["\(scope) was not paused"] }
            if flags.isJSON || !lines.isEmpty { flags.write(lines.joined(separator: "\n"), FleetPause.json(left)) }
            guard let first = still.first else { return }
            let flags = first.scope.flags.isEmpty ? "" : " " + first.scope.flags
            throw CommandFailure(
                .failed,
                "\(first.scope) is still paused, which is more than \(scope): end it with fanfare resume\(flags)"
            )
        }
    }
}

extension PauseScope {
    /// The scope as flags of the commands.
    fileprivate var flags: String {
        [
            app.map { "--app \($0)" }, provider.map { "--provider \($0.rawValue)" },
            urgency.map { "--urgency \($0.rawValue)" },
        ].compactMap { $0 }.joined(separator: " ")
    }
}
