import ArgumentParser
import Campaigns
import Delivery
import Operations
import WebServing

/// The machine-readable contracts.
struct SchemaCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schema",
        abstract: "Print the contracts in machine-readable form.",
        subcommands: [Job.self, Queue.self, OpenAPI.self]
    )

    /// Prints the schema with which producers check their jobs.
    struct Job: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the JSON Schema (2020-12) of a job.",
            discussion: "Example: fanfare schema job > job.schema.json"
        )

        @OptionGroup var output: OutputOptions

        func run() async throws {
            Terminal.write(JobSchema.text.hasSuffix("\n") ? JobSchema.text : JobSchema.text + "\n")
        }
    }

    /// Prints the messages to and from the broker.
    struct Queue: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "asyncapi",
            abstract: "Print what goes in and out by RabbitMQ as an AsyncAPI 3.0 document.",
            discussion: "Example: fanfare schema asyncapi > asyncapi.json"
        )

        @OptionGroup var output: OutputOptions

        func run() async throws {
            Terminal.write(AsyncAPI.text)
        }
    }

    /// Prints the description with which callers of the HTTP API check their requests.
    struct OpenAPI: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            commandName: "openapi",
            abstract: "Print the OpenAPI 3.1 document of the HTTP API.",
            discussion: "Example: fanfare schema openapi > openapi.json"
        )

        @OptionGroup var output: OutputOptions

        func run() async throws {
            Terminal.write(
                OpenAPIDocument.make(version: Build.version, ServedRoles.all.map { $0.section }).text + "\n"
            )
        }
    }
}
