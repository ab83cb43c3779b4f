import ArgumentParser
import Campaigns
import Delivery
import Operations
import Settings
import Store

extension DeviceCommand {
    /// Removes devices from the registry.
    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a device, or all devices of a user: only a tombstone stays.",
            discussion: """
                At once: token, user, tags, attributes and the device's secret are gone from the registry, no shard that is \
                cut from now on sends to the device, from whatever list, and a file from before cannot bring it back. Its \
                token, name and variables are taken out of lists by the next purge after the campaigns under way that use \
                them; messages of these campaigns and parked ones are gone after 30 days at the latest \
                (store.retention.parked). Its reports about campaigns stay counted, but anonymous.

                Examples:
                  fanfare device forget ana-iphone --app news --yes
                  fanfare device forget --user ana --app news --dry-run
                """
        )

        @OptionGroup var choice: DeviceChoice
        @OptionGroup var whose: RegistryApp

        @Flag(help: "Do it without asking.")
        var yes = false

        @Flag(help: "Only say what would be forgotten.")
        var dryRun = false

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            guard yes || dryRun else {
                throw CommandFailure(.usage, "device forget cannot be undone: add --yes, or look first with --dry-run")
            }
            let (choice, app, isDry) = (choice, whose.app, dryRun)
            // No push lives longer than 30 days, a parked one as long as parked messages are kept.
            let retention = max(Duration.seconds(30 * 86_400), try options.load().retention.parked)
            let (forgotten, entries) = try await options.withLedger { ledger -> ([String], Int) in
                let devices = try await choice.devices(app: app, in: ledger).filter { $0.state != .forgotten }
                if isDry { return (devices.compactMap(\.installation), 0) }
                return try await Registry.forget(devices, app: app, in: ledger)
            }
            let gone = WallClock.now().asRead.advanced(by: retention)
            let what = "\(forgotten.count) device\(forgotten.count == 1 ? "" : "s")"
            output.write(
                isDry
                    ? "\(what) would be forgotten"
                    : "\(what) forgotten; what lists, queues and parked messages have of it is gone by \(gone.rfc3339)",
                [
                    "app": .string(app), "forgotten": .array(forgotten.map(JSONValue.string)),
                    "dry_run": .bool(isDry), "list_places": .number(JSONNumber(entries)),
                    "bytes_gone_at": isDry ? .null : .string(gone.rfc3339),
                ]
            )
        }
    }
}
