import ArgumentParser
import Campaigns
import Operations

/// Prints the manual page of a program, which is given by its root command.
struct ManualCommand<Root: ParsableCommand>: AsyncParsableCommand {
    static var configuration: CommandConfiguration {
        CommandConfiguration(
            commandName: "manual",
            abstract: "Print the manual page of all commands.",
            discussion: """
                In the form of man pages. Completions for a shell are printed by --generate-completion-script.

                Examples:
                  fanfare manual > /usr/local/share/man/man1/fanfare.1
                  fanfare --generate-completion-script bash > /etc/bash_completion.d/fanfare
                """
        )
    }

    func run() async throws {
        do {
            _ = try Root.parseAsRoot(["--experimental-dump-help"])
        } catch {
            guard let page = ManualPage(helpDump: Root.message(for: error)) else {
                throw CommandFailure(.failed, "the commands cannot be listed")
            }
            Terminal.write(page.text)
            return
        }
        throw CommandFailure(.failed, "the commands cannot be listed")
    }
}
