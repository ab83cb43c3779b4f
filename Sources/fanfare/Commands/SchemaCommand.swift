import ArgumentParser
import Campaigns
import Fleet

/// The machine-readable contracts.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the contracts in machine-readable form.",
        subcommands: [Job.self]
    )

    /// What producers check their jobs with.
    struct Job: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the JSON Schema (2020-12) of a job."
        )

        @OptionGroup var output: OutputOptions

        func run() async throws {
            Terminal.write(JobSchema.text.hasSuffix("\n") ? JobSchema.text : JobSchema.text + "\n")
        }
    }
}
