import ArgumentParser
import Campaigns
import Foundation
import Operations
import Settings

/// The flags for the configuration's sources, on every command that needs one.
struct ConfigurationOptions: ParsableArguments {
    @Option(help: "The configuration file (default: fanfare.yaml, which may be missing).")
    var config: String?

    @Option(help: "An installation by name: ~/.config/fanfare/NAME.yaml (FANFARE_CONTEXT; fanfare config contexts).")
    var context: String?

    @Option(help: "The broker, without a password: amqp://host:5672 (amqp.url).")
    var amqp: String?

    @Option(help: "The ledger: sqlite:PATH or postgresql://user@host/database (store.url).")
    var store: String?

    @Option(help: "The apps and their keys (apps.file).")
    var apps: String?

    @Option(help: "The least severe level that is logged (log.level).")
    var logLevel: String?

    @Option(help: "auto, json or pretty (log.format).")
    var logFormat: String?

    /// Returns the sources with these flags and a command's own; commands that reread on SIGHUP keep them.
    func sources(_ more: [ConfigurationSources.Flag?] = []) throws -> ConfigurationSources {
        let flags = [
            Self.flag("--amqp", "amqp.url", amqp), Self.flag("--store", "store.url", store),
            Self.flag("--apps", "apps.file", apps), Self.flag("--log-level", "log.level", logLevel),
            Self.flag("--log-format", "log.format", logFormat),
        ]
        return ConfigurationSources(flags: (flags + more).compactMap { $0 }, file: try file())
    }

    /// Returns the file that `--config`, `--context` or the environment names, in this order; nil for `fanfare.yaml`.
    private func file() throws -> String? {
        if let config {
            guard context == nil else { throw ValidationError("give --config or --context, not both") }
            return config
        }
        let environment = ProcessInfo.processInfo.environment
        guard let name = context ?? environment[Contexts.variable].flatMap({ $0.isEmpty ? nil : $0 }) else {
            return nil
        }
        guard let contexts = Contexts(environment: environment), let file = contexts.file(name) else {
            throw ValidationError(
                "the context \(name) cannot be found: it is a name, and its file is looked up below HOME"
            )
        }
        guard FileManager.default.fileExists(atPath: file) else {
            let known = contexts.names.joined(separator: ", ")
            let hint = known.isEmpty ? "put a fanfare.yaml there" : "there are \(known)"
            throw CommandFailure(.usage, "there is no context \(name): \(file) is missing; \(hint)")
        }
        return file
    }

    /// Returns the current configuration.
    ///
    /// Never inlined: in `campaign send`, inlining crashes Swift 6.3.1 in a release build (coroutine splitting).
    @inline(never)
    func load() throws -> Configuration { try sources().load() }

    /// Returns the flag for a key if it was given.
    static func flag(
        _ name: String,
        _ key: String,
        _ value: (some CustomStringConvertible)?
    ) -> ConfigurationSources.Flag? {
        value.map { ConfigurationSources.Flag(name, key: key, value: $0.description) }
    }
}

/// The options for a command's output.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print JSON; problems too, on standard error.")
    var json = false

    /// Prints a text for people or the document.
    func write(_ text: @autoclosure () -> String, _ document: @autoclosure () -> JSONValue) {
        Terminal.write((json ? document().text : text()) + "\n")
    }
}
