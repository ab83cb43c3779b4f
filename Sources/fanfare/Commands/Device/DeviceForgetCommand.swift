import ArgumentParser
import Campaigns
import Delivery
import Fleet
import Store

extension DeviceCommand {
    /// Takes devices out of the registry.
    struct Forget: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Forget a device, or all devices of a user: a tombstone stays and nothing else.",
            discussion: """
                At once: token, user, tags and attributes are gone from the registry, no campaign takes the device from \
                there, and a file from before cannot bring it back. Lists and outcomes that have its token are removed by \
                store.retention (lists 30 days after their last use, outcomes 30 days).

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
            let retention = try options.load().retention.lists
            let forgotten = try await options.withLedger { ledger -> [String] in
                let ids = try await choice.devices(app: app, in: ledger).compactMap(\.installation)
                if isDry { return ids }
                return try await ledger.write(.synced) { transaction in
                    try ids.filter { try transaction.forget(app: app, installation: $0, now: CommandClock.now()) }
                }
            }
            let gone = CommandClock.now().advanced(by: retention)
            if output.json {
                let document = JSONValue.object([
                    "app": .string(app), "forgotten": .array(forgotten.map(JSONValue.string)),
                    "dry_run": .bool(isDry), "lists_gone_at": isDry ? .null : .string(gone.rfc3339),
                ])
                Terminal.write(document.text + "\n")
                return
            }
            let what = "\(forgotten.count) device\(forgotten.count == 1 ? "" : "s")"
            Terminal.write(
                isDry
                    ? "\(what) would be forgotten\n"
                    : "\(what) forgotten; unused lists that have the token are gone by \(gone.rfc3339)\n"
            )
        }
    }
}
