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

    @OptionGroup var confirmation: ConfirmationFlag

    @OptionGroup var flags: OrderFlags

    func run() async throws {
        try confirmation.ask(removing: choice.text, with: "content rm", isDryRun: flags.isDryRun)
        let (app, id, isDry) = (choice.app, choice.id, flags.isDryRun)
        let removal = try await flags.options.withLedger { ledger in
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
        flags.write(line, document)
    }
}
