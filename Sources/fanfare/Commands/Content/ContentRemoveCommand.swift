import ArgumentParser
import Campaigns
import Operations
import Store

/// Removes a content that no push names any more.
struct ContentRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove an uploaded content; one that a campaign brought is removed with the campaign.",
        discussion: """
            A phone that fetches it later gets 404.

            Example: fanfare content rm c-81 --app news --yes
            """
    )

    @OptionGroup var choice: ContentChoice

    @Flag(help: "Do not ask.")
    var yes = false

    @OptionGroup var trial: DryRunOptions
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try confirm()
        let (app, id, isDry) = (choice.app, choice.id, trial.dryRun)
        let removal = try await options.withLedger { ledger in
            try await ledger.order(isDryRun: isDry) { try $0.removeContent(app: app, id: id) }
        }
        switch removal {
        case .removed: break
        case .missing: throw choice.missing
        case .ofCampaign:
            throw CommandFailure(.wrongState, "a campaign brought \(choice.text), and it is removed with the campaign")
        }
        let document: JSONValue = ["app": .string(app), "id": .string(id), "result": .string(removal.rawValue)]
        let line = isDry ? "\(choice.text): would be removed" : "\(choice.text): removed"
        Terminal.write((output.json ? trial.marked(document).text : line) + "\n")
    }

    private func confirm() throws {
        guard !yes, !trial.dryRun else { return }
        try Confirmation.ask(
            "This cannot be undone. Remove \(choice.text)?",
            refusal: "content rm cannot be undone: add --yes, or look first with --dry-run"
        )
    }
}
