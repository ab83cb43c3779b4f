import ArgumentParser
import Campaigns
import Operations

/// Makes a channel.
struct ChannelCreateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a broadcast channel at Apple, under a name of yours.",
        discussion: """
            The app needs a provider token (key_file), and Broadcast Capability at developer.apple.com. Apple never \
            changes a channel's storage policy, and keeps at most 10,000 channels of an app in each environment.

            Examples:
              fanfare channel create derby-21 --app news
              fanfare channel create flight-88 --app news --storage latest --environment sandbox
            """
    )

    @OptionGroup var choice: ChannelChoice

    @Option(help: "none: Apple stores no update, and accepts the most; latest: the last one, for eight hours.")
    var storage = "none"

    @Option(help: "production or sandbox (default: the app's own).")
    var environment: String?

    @Option(help: "Apple's id of a channel that is there already: it only gets the name.")
    var id: String?

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        guard let policy = BroadcastChannel.Storage(rawValue: storage) else {
            throw CommandFailure(.usage, "--storage is none or latest")
        }
        let (name, environment, id) = (choice.name, environment, id)
        let channel = try await options.withChannels(of: choice.app) {
            try await $0.create(name, storage: policy, environment: environment, id: id)
        }
        let line = "\(choice.text): \(channel.id), \(channel.environment.rawValue), storage \(channel.storage.rawValue)"
        output.write(line, ChannelRow(channel).json)
    }
}
