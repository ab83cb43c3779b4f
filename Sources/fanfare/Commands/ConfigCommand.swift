import ArgumentParser
import Campaigns
import Foundation
import Operations
import Settings

/// The commands about the configuration.
struct ConfigCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "config",
        abstract: "Show, check and explain the configuration.",
        subcommands: [Show.self, Check.self, Reference.self, List.self]
    )

    /// Lists the named installations.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "contexts",
            abstract: "Print the installations that --context and FANFARE_CONTEXT can name.",
            discussion: """
                A context is a configuration file in ~/.config/fanfare (or $XDG_CONFIG_HOME/fanfare).

                Examples:
                  fanfare config contexts
                  fanfare status --context production
                """
        )

        @OptionGroup var output: OutputOptions

        func run() async throws {
            guard let contexts = Contexts(environment: ProcessInfo.processInfo.environment) else {
                throw CommandFailure(.usage, "neither HOME nor XDG_CONFIG_HOME says where contexts are")
            }
            let files = contexts.names.map { (name: $0, file: contexts.file($0) ?? "") }
            let table = TextTable([("context", .left), ("file", .left)], rows: files.map { [$0.name, $0.file] })
            output.write(
                files.isEmpty ? "none in \(contexts.folder)" : table.text,
                .array(files.map { .object(["name": .string($0.name), "file": .string($0.file)]) })
            )
        }
    }

    /// Prints every key's value with its source.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every key with its value and where the value comes from; passwords are hidden.",
            discussion: "Example: FANFARE_WORKER_LOOPS=4 fanfare config show"
        )

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let settings = try options.load().settings
            let rows = settings.map { [$0.key.name, $0.redactedText ?? "-", $0.location] }
            let members = settings.map { setting in
                JSONMember(
                    setting.key.name,
                    [
                        "value": setting.redactedText.map(JSONValue.string) ?? .null,
                        "origin": .string(setting.origin.rawValue), "place": .string(setting.location),
                    ]
                )
            }
            output.write(
                TextTable([("key", .left), ("value", .left), ("from", .left)], rows: rows).text,
                .object(members)
            )
        }
    }

    /// Checks that a worker could start with the configuration.
    struct Check: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Read the configuration and the apps file with all keys, and report problems.",
            discussion: "Example: fanfare config check --config /etc/fanfare/fanfare.yaml"
        )

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let configuration = try options.load()
            let apps = try AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
            let names = apps.map(\.name)
            output.write(
                "configuration ok; apps in \(configuration.appsFile): \(names.joined(separator: ", "))",
                [
                    "ok": true, "apps_file": .string(configuration.appsFile),
                    "apps": .array(names.map(JSONValue.string)),
                ]
            )
        }
    }

    /// Prints the catalogue of keys as documentation.
    struct Reference: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print every key that exists, with its variable, its default and its meaning.",
            discussion: "Example: fanfare config reference"
        )

        @OptionGroup var output: OutputOptions

        func run() async throws {
            let headings: [(String, TextTable.Alignment)] = [
                ("key", .left), ("environment", .left), ("default", .left), ("meaning", .left),
            ]
            let rows = ConfigurationCatalogue.keys.map { key in
                let meaning = key.documentation + (key.isHot ? " (taken on SIGHUP)" : "")
                return [key.name, key.environment, key.fallback ?? "-", meaning]
            }
            let keys = ConfigurationCatalogue.keys.map { key -> JSONValue in
                [
                    "key": .string(key.name), "environment": .string(key.environment),
                    "default": key.fallback.map(JSONValue.string) ?? .null, "hot": .bool(key.isHot),
                    "documentation": .string(key.documentation),
                ]
            }
            output.write(TextTable(headings, rows: rows).text, .array(keys))
        }
    }
}
