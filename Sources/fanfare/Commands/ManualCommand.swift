import ArgumentParser
import Campaigns
import Operations

/// Prints the manual page.
struct ManualCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "manual",
        abstract: "Print the manual page of all commands.",
        discussion: """
            In the form of man pages. Completions for a shell are printed by --generate-completion-script.

            Examples:
              fanfare manual > /usr/local/share/man/man1/fanfare.1
              fanfare --generate-completion-script bash > /etc/bash_completion.d/fanfare
            """
    )

    func run() async throws {
        do {
            _ = try Fanfare.parseAsRoot(["--experimental-dump-help"])
        } catch {
            guard let page = ManualPage(helpDump: Fanfare.message(for: error)) else {
                throw CommandFailure(.failed, "the commands cannot be listed")
            }
            Terminal.write(page.text)
            return
        }
        throw CommandFailure(.failed, "the commands cannot be listed")
    }
}
