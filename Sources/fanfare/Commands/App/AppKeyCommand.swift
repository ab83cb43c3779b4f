import ArgumentParser
import Campaigns
import Operations
import Settings
import Store

/// The commands about the keys that an app ships with.
struct AppKeyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "key",
        abstract: "Integration keys: what an app's installations show when they register.",
        subcommands: [Create.self, List.self, Revoke.self]
    )
}

/// The app whose keys a command is about.
struct IntegrationKeysChoice: ParsableArguments {
    @Argument(help: "The app.")
    var app: String

    func validate() throws {
        guard NameRule.isApp(app) else {
            throw ValidationError("APP is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
        }
    }

    /// Returns the file of the app's keys, as the apps file names it.
    func path(_ configuration: Configuration) throws -> String {
        try IntegrationKeysFile.path(app: app, appsFile: configuration.appsFile)
    }
}

extension AppKeyCommand {
    /// Creates a key.
    struct Create: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Make an integration key, print it once, and add its hash to the app's edge.integration_keys_file.",
            discussion: """
                The key goes into the app, so that everybody who has the app has it: it lets an installation register, \
                and does nothing else. To rotate: create the next one, ship an app with it, revoke the old one when \
                nobody registers with it any more; registered devices keep their own secrets. A running server takes a \
                change within two seconds.

                Example: fanfare app key create news --name ios-2026
                """
        )

        @OptionGroup var choice: IntegrationKeysChoice

        @Option(help: "The key's name, for people.")
        var name: String

        @OptionGroup var flags: OrderFlags

        func validate() throws {
            guard TokensFile.isName(name) else {
                throw ValidationError("--name is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
            }
        }

        func run() async throws {
            let path = try choice.path(try flags.options.load())
            let key = EdgeSecret.integrationKey()
            let created = WallClock.now().asRead.rfc3339
            let entry = IntegrationKey(name: name, hash: EdgeSecret.hash(key), createdAt: created)
            try IntegrationKeysFile.add(entry, path: path, isDryRun: flags.isDryRun)
            if flags.isDryRun {
                Terminal.write("\(path) would gain the key \(name)\n")
            } else if flags.isJSON {
                let document: JSONValue = [
                    "app": .string(choice.app), "name": .string(name), "key": .string(key), "file": .string(path),
                    "created_at": .string(created),
                ]
                Terminal.write(document.text + "\n")
            } else {
                Terminal.write(key + "\n")
                Terminal.writeError("fanfare: it is shown only this once; \(path) has its hash\n")
            }
        }
    }

    /// Lists the keys.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print an app's integration keys by name; the keys themselves are stored nowhere.",
            discussion: "Example: fanfare app key list news --json"
        )

        @OptionGroup var choice: IntegrationKeysChoice
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let keys = try IntegrationKeysFile.read(path: try choice.path(try options.load()))
            let rows = keys.map { [$0.name, $0.createdAt] }
            let documents = keys.map { key -> JSONValue in
                ["app": .string(choice.app), "name": .string(key.name), "created_at": .string(key.createdAt)]
            }
            output.write(TextTable([("name", .left), ("created_at", .left)], rows: rows).text, .array(documents))
        }
    }

    /// Revokes a key.
    struct Revoke: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Revoke an integration key: nobody can register with it any more.",
            discussion: """
                Devices that have registered with it go on with their own secrets. A running server takes it within two \
                seconds.

                With --devices the devices that the key has registered are forgotten, as device forget does it: for a key \
                that has leaked. Devices that were imported, or registered with another key, stay. It may be given for a \
                key that was revoked before; give it again when servers may have taken registrations meanwhile.

                Examples:
                  fanfare app key revoke news --name ios-2025 --dry-run
                  fanfare app key revoke news --name ios-2025 --devices --yes
                """
        )

        @OptionGroup var choice: IntegrationKeysChoice

        @Option(help: "The key's name, as app key list prints it.")
        var name: String

        @Flag(help: "Also forget the devices that the key has registered.")
        var devices = false

        @Flag(help: "Forget them without asking.")
        var yes = false

        @OptionGroup var flags: OrderFlags

        func run() async throws {
            guard !devices || yes || flags.isDryRun else {
                let fix = "add --yes, or look first with --dry-run"
                throw CommandFailure(.usage, "the devices of a key cannot be brought back: \(fix)")
            }
            let path = try choice.path(try flags.options.load())
            let known = try IntegrationKeysFile.read(path: path).filter { $0.name == name }.map(\.hash)
            let past = IntegrationKeysFile.revoked(path: path).filter { $0.name == name }.map(\.hash)
            if !known.isEmpty || !devices || past.isEmpty {
                try IntegrationKeysFile.remove(named: name, path: path, isDryRun: flags.isDryRun)
            }
            var members: [JSONMember] = [
                JSONMember("app", .string(choice.app)), JSONMember("revoked", .string(name)),
                JSONMember("file", .string(path)),
            ]
            var line = flags.isDryRun ? "\(path) would lose the key \(name)" : "\(path) has no key \(name) any more"
            if devices {
                // A name that was used again means its current key.
                let hashes = known.isEmpty ? past : known
                let (app, isDry) = (choice.app, flags.isDryRun)
                let count = try await flags.options.withLedger { ledger in
                    var count = 0
                    for hash in hashes {
                        let number = EdgeSecret.keyNumber(hash: hash)
                        count += try await Registry.forget(cameWith: number, app: app, in: ledger, isDryRun: isDry)
                            .devices
                    }
                    return count
                }
                members.append(JSONMember("devices", .number(JSONNumber(count))))
                let text = "\(NumberText.grouped(count)) device\(count == 1 ? "" : "s")"
                line += isDry ? "; \(text) would be forgotten" : "; \(text) forgotten"
            }
            let document = JSONValue.object(members)
            flags.write(line, document)
        }
    }
}
