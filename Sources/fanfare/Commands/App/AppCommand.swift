import ArgumentParser

/// The commands about apps.
struct AppCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "app",
        abstract: "The apps that pushes are sent for.",
        subcommands: [AppListCommand.self, AppCheckCommand.self, AppReloadCommand.self, AppKeyCommand.self]
    )
}
