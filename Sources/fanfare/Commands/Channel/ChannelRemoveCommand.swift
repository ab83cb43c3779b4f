import ArgumentParser
import Campaigns
import Operations

/// Removes a channel.
struct ChannelRemoveCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "rm",
        abstract: "Remove a channel at Apple, for good, and its name.",
        discussion: """
            Nobody can follow it again: a new channel of the same name has another id.

            Example: fanfare channel rm derby-21 --app news --yes
            """
    )

    @OptionGroup var choice: ChannelChoice

    @OptionGroup var confirmation: ConfirmationFlag

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        try confirmation.ask(
            "This cannot be undone. Remove \(choice.text)?",
            "channel rm cannot be undone",
            orLook: false,
            isDryRun: false
        )
        let name = choice.name
        let channel = try await options.withChannels(of: choice.app) { try await $0.remove(name) }
        let document: JSONValue = [
            "app": .string(channel.app), "name": .string(channel.name), "id": .string(channel.id),
            "result": "removed",
        ]
        output.write("\(choice.text): removed", document)
    }
}
