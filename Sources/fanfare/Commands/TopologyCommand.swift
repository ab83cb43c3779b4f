import ArgumentParser
import Campaigns
import Delivery
import NIOPosix
import Operations
import Transport

/// The commands about exchanges, queues and policies on the broker.
struct TopologyCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "topology",
        abstract: "The exchanges, queues and policies on the broker: plan, create and compare them.",
        subcommands: [Plan.self, Apply.self, Diff.self]
    )

    /// Prints the changes that `apply` would make.
    struct Plan: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print what apply would do; change nothing.",
            discussion: "Example: fanfare topology plan"
        )

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws { try await TopologyCommand.plan(options, isJSON: output.json) }
    }

    /// Creates what is missing.
    struct Apply: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Create the exchanges, queues, bindings and policies; ends with 1 when something is left to do.",
            discussion: "Example: fanfare topology apply --config /etc/fanfare/fanfare.yaml"
        )

        @OptionGroup var flags: OrderFlags

        func run() async throws {
            if flags.isDryRun { return try await TopologyCommand.plan(flags.options, isJSON: flags.isJSON) }
            let before = try await TopologyCommand.run(flags.options) { tool throws(AMQPConnectError) in
                try await tool.apply()
            }
            var left = try await TopologyCommand.run(flags.options) { tool throws(AMQPConnectError) in
                try await tool.plan()
            }
            if left.isClean {
                let done = before.changes.isEmpty ? "nothing to do" : "done: \(before.changes.count) changes"
                TopologyCommand.write(left, isJSON: flags.isJSON, empty: "\(done); the broker is as it should be")
                return
            }
            // The reason why the first `apply` was incomplete, although management answers now.
            if left.managementFailure == nil {
                (left.managementFailure, left.commands) = (before.managementFailure, before.commands)
            }
            TopologyCommand.write(left, isJSON: flags.isJSON, empty: "")
            throw FanfareExit.failed
        }
    }

    /// Compares the broker with the manifest.
    struct Diff: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Compare the broker with what Fanfare needs; ends with 1 when they differ.",
            discussion: "Example: fanfare topology diff --json"
        )

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let report = try await TopologyCommand.run(options) { tool throws(AMQPConnectError) in
                try await tool.plan()
            }
            TopologyCommand.write(report, isJSON: output.json, empty: "the broker is as it should be")
            if !report.isClean { throw FanfareExit.failed }
        }
    }

    private static func plan(_ options: ConfigurationOptions, isJSON: Bool) async throws {
        let report = try await run(options) { tool throws(AMQPConnectError) in try await tool.plan() }
        write(report, isJSON: isJSON, empty: "nothing to do")
    }

    private static func run(
        _ options: ConfigurationOptions,
        _ use: (TopologyTool) async throws(AMQPConnectError) -> TopologyTool.Report
    ) async throws -> TopologyTool.Report {
        let configuration = try options.load()
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let tool = TopologyTool(configuration, loop: loop)
        do throws(AMQPConnectError) {
            return try await use(tool)
        } catch {
            throw CommandFailure(error)
        }
    }

    private static func write(_ report: TopologyTool.Report, isJSON: Bool, empty: String) {
        if isJSON {
            let document = JSONValue.object([
                "clean": .bool(report.isClean), "changes": .array(report.changes.map { .string($0.line) }),
                "management": report.managementFailure.map { .string($0.description) } ?? .null,
                "commands": .array(report.commands.map(JSONValue.string)),
            ])
            Terminal.write(document.text + "\n")
            return
        }
        for change in report.changes { Terminal.write(TerminalText.safe(change.line) + "\n") }
        if let failure = report.managementFailure {
            Terminal.writeError("fanfare: \(TerminalText.safe(failure.description))\n")
            Terminal.writeError("fanfare: policies can be set on the broker's host instead:\n")
            for command in report.commands { Terminal.writeError("  \(command)\n") }
        }
        if report.isClean { Terminal.write(empty + "\n") }
    }
}
