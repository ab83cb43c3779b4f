import ArgumentParser
import Operations

/// The command line: one file per sub-command.
@main
struct Fanfare: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "fanfare",
        abstract: "Sends push campaigns from RabbitMQ to APNs, FCM and Web Push and counts every single device.",
        version: ProgramVersion.text,
        subcommands: [
            CampaignCommand.self, ListCommand.self, DeviceCommand.self, ContentCommand.self, AudienceCommand.self,
            ChannelCommand.self, ParkedCommand.self,
            StatusCommand.self, PauseCommand.self, ResumeCommand.self, StoreCommand.self,
            AppCommand.self, WebhookCommand.self, TopologyCommand.self, WorkerCommand.self, ServerCommand.self,
            SimulatorCommand.self, PhoneCommand.self,
            ConfigCommand.self,
            SchemaCommand.self, ManualCommand<Self>.self,
            DoctorCommand.self, DemoCommand.self, BenchCommand.self, CapacityCommand.self,
        ]
    )

    /// Runs the command that the arguments name and ends the process with the contract's exit code.
    static func main() async {
        let arguments = Array(CommandLine.arguments.dropFirst())
        do {
            var command = try parseAsRoot(arguments)
            if var asynchronous = command as? any AsyncParsableCommand {
                try await asynchronous.run()
            } else {
                try command.run()
            }
        } catch {
            FailureReport(error, isJSON: arguments.contains("--json")).end()
        }
    }
}
