import ArgumentParser
import Fleet

/// The command line: one file per sub-command.
@main
struct Fanfare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanfare",
        abstract: "Sends push campaigns from RabbitMQ to APNs, and counts every device.",
        version: "fanfare 0.1.0"
    )
}
