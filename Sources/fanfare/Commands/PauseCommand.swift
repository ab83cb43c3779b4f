import ArgumentParser
import Campaigns
import Delivery
import Operations
import PushProviders
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
        var scope = PauseScope(app: app)
        if let app {
            let now = ledger.now()
            let known = try await ledger.read { try $0.knownApps(now: now) }
            guard known.contains(app) else {
                let names = known.isEmpty ? "it knows none yet" : "it knows \(known.sorted().joined(separator: ", "))"
                throw CommandFailure(.usage, "the ledger \(ledger.path) knows no app \(app); \(names)")
            }
        }
        if let provider {
            guard let known = ProviderRegistry.providers.first(where: { $0.name.rawValue == provider }) else {
                let names = ProviderRegistry.providers.map(\.name.rawValue).joined(separator: ", ")
                throw CommandFailure(.usage, "there is no provider \(provider); give \(names)")
            }
            scope.provider = known.name
        }
        if let urgency {
            guard let known = Urgency(rawValue: urgency) else {
                throw CommandFailure(.usage, "urgency is urgent or bulk, not \(urgency)")
            }
            scope.urgency = known
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
            let now = ledger.now()
            let (isNew, pauses) = try await ledger.order(isDryRun: flags.isDryRun) { transaction in
                (try transaction.pause(scope, by: Operator.name, now: now), try transaction.reader.pauses())
            }
            let verb = isNew && flags.isDryRun ? "would be paused" : isNew ? "is paused" : "is paused already"
            flags.write("\(scope) \(verb)", PauseText.json(pauses))
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
            let now = ledger.now()
            let (ended, left) = try await ledger.order(isDryRun: flags.isDryRun) { transaction in
                (try transaction.resume(scope, by: Operator.name, now: now), try transaction.reader.pauses())
            }
            let still = left.filter { $0.scope.meets(scope) }
            let verb = flags.isDryRun ? "would go on" : "goes on"
            var lines = ended.map { "\($0.scope) \(verb)" }
            if lines.isEmpty, still.isEmpty { lines = ["\(scope) was not paused"] }
            if flags.isJSON || !lines.isEmpty { flags.write(lines.joined(separator: "\n"), PauseText.json(left)) }
            guard let first = still.first else { return }
            let flags = first.scope.flags.isEmpty ? "" : " " + first.scope.flags
            throw CommandFailure(
                .failed,
                "\(first.scope) is still paused, which is more than \(scope): end it with fanfare resume\(flags)"
            )
        }
    }
}

enum PauseText {
    /// Returns all pauses.
    static func json(_ pauses: [PauseRecord]) -> JSONValue {
        .object([
            "pauses": .array(
                pauses.map { pause in
                    .object([
                        "app": pause.scope.app.map(JSONValue.string) ?? .null,
                        "provider": pause.scope.provider.map { .string($0.rawValue) } ?? .null,
                        "urgency": pause.scope.urgency.map { .string($0.rawValue) } ?? .null,
                        "since": .string(pause.since.rfc3339),
                    ])
                }
            )
        ])
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
