import ArgumentParser
import Campaigns
import Operations
import Store

/// Lists the channels.
struct ChannelListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "ls",
        abstract: "Print the channels, with the ids that apps subscribe to.",
        discussion: """
            --apple also asks Apple, and prints its channels without a name here and names whose channel Apple lacks.

            Examples:
              fanfare channel ls
              fanfare channel ls --app news --apple --environment sandbox
            """
    )

    @Option(help: "Only this app's.")
    var app: String?

    @Flag(help: "Compare with Apple's list; needs --app.")
    var apple = false

    @Option(help: "The environment that --apple asks about (default: the app's own).")
    var environment: String?

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func validate() throws {
        if apple, app == nil { throw ValidationError("--apple needs --app") }
        if environment != nil, !apple { throw ValidationError("--environment goes with --apple") }
    }

    func run() async throws {
        let (app, environment) = (app, environment)
        let rows = try await options.withLedger { ledger in
            try await ledger.read { try $0.channels(app: app) }.map { ChannelRow($0) }
        }
        guard apple, let app else {
            return output.write(ChannelRow.table(rows), .array(rows.map(\.json)))
        }
        let strays = try await options.withChannels(of: app) { try await $0.strays(in: environment) }
        let lines =
            strays.unnamed.map { "only at Apple: \($0)" } + strays.gone.map { "no longer at Apple: \($0)" }
        output.write(
            ([ChannelRow.table(rows)] + lines).joined(separator: "\n"),
            [
                "channels": .array(rows.map(\.json)), "unnamed": .array(strays.unnamed.map(JSONValue.string)),
                "gone": .array(strays.gone.map(JSONValue.string)),
            ]
        )
    }
}
