import ArgumentParser
import Campaigns
import Operations
import Store

extension DeviceCommand {
    /// Writes the registry as a file.
    struct Export: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print live devices as NDJSON, a device a line, as device import takes them.",
            discussion: """
                For one device or user, devices in every state are printed with their reports about campaigns, because a \
                person may ask for all that is known.

                Examples:
                  fanfare device export --app news > devices.ndjson
                  fanfare device export --user ana --app news
                """
        )

        @Argument(help: "Only this installation.")
        var id: String?

        @Option(help: "Only devices of this user.")
        var user: String?

        @OptionGroup var whose: RegistryApp
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let (app, id, user) = (whose.app, id, user)
            try await options.withLedger { ledger in
                if id != nil || user != nil {
                    var choice = DeviceChoice()
                    (choice.id, choice.user) = (id, user)
                    try choice.validate()
                    for device in try await choice.devices(app: app, in: ledger) {
                        let facts = JSONMember("tracked", .array(try await Registry.tracked(device, in: ledger)))
                        let known = (try await DeviceView.read(device, in: ledger).json.members ?? []) + [facts]
                        Terminal.write(JSONValue.object(known).text + "\n")
                    }
                    return
                }
                try await Registry.forEach(app: app, in: ledger) { device in
                    if device.state == .live { Terminal.write(DeviceView(device).line.text + "\n") }
                }
            }
        }
    }
}
