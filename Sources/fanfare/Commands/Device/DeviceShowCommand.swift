import ArgumentParser
import Campaigns
import Operations
import Store

extension DeviceCommand {
    /// Prints the registry's facts about a device.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the registry's facts about a device, or about all devices of a user.",
            discussion: """
                Examples:
                  fanfare device show ana-iphone --app news
                  fanfare device show --user ana --app news --json
                """
        )

        @OptionGroup var choice: DeviceChoice
        @OptionGroup var whose: RegistryApp
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let (choice, app) = (choice, whose.app)
            let views = try await options.withLedger { ledger -> [DeviceView] in
                var views: [DeviceView] = []
                for device in try await choice.devices(app: app, in: ledger) {
                    views.append(try await DeviceView.read(device, in: ledger))
                }
                return views
            }
            output.write(views.map(\.text).joined(separator: "\n\n"), JSONValue.array(views.map(\.json)))
        }
    }
}
