import ArgumentParser
import Campaigns
import Operations
import Settings
import Store

/// The commands about broadcast channels.
struct ChannelCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "channel",
        abstract: "Broadcast channels of Live Activities: one request updates everyone who follows one.",
        subcommands: [ChannelCreateCommand.self, ChannelListCommand.self, ChannelRemoveCommand.self]
    )
}

/// A channel of an app.
struct ChannelChoice: ParsableArguments {
    @Argument(help: "The channel's name: audience.channel of the job.")
    var name: String

    @Option(help: "The app that it belongs to.")
    var app: String

    func validate() throws {
        guard NameRule.isApp(app) else {
            throw ValidationError("--app is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
        }
    }

    var text: String { "\(app)/\(name)" }
}

extension ConfigurationOptions {
    /// Runs orders about an app's channels; a refusal ends the command with its document.
    func withChannels<Result: Sendable>(
        of app: String,
        _ body: @Sendable (ChannelOrders) async throws -> Result
    ) async throws -> Result {
        let apps = try AppsFile.read(path: try load().appsFile)
        return try await withLedger { ledger in
            do {
                return try await body(try ChannelOrders(app, among: apps, in: ledger))
            } catch let refusal as ChannelRefusal {
                throw CommandFailure(refusal.document)
            }
        }
    }
}
