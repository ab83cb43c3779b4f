import ArgumentParser
import Campaigns
import Operations

/// The question before something that cannot be undone, and the flag that leaves it out.
struct ConfirmationFlag: ParsableArguments {
    @Flag(help: "Do not ask.")
    var yes = false

    /// Asks for `y` unless it is a dry run; throws if the answer is another, or if there is no terminal to ask.
    ///
    /// - Parameters:
    ///   - question: The question without its `[y/N]`.
    ///   - warning: The reason for the question, where there is no terminal.
    ///   - look: True if the command has a dry run to look with.
    func ask(_ question: String, _ warning: String, orLook look: Bool = true, isDryRun: Bool) throws {
        if yes || isDryRun { return }
        guard Terminal.isInputTerminal else {
            throw CommandFailure(.usage, "\(warning): add --yes" + (look ? ", or look first with --dry-run" : ""))
        }
        Terminal.writeError("\(question) [y/N] ")
        guard readLine() == "y" else { throw FanfareExit.failed }
    }

    /// Asks before a removal, as `ask`.
    func ask(removing name: String, with command: String, isDryRun: Bool) throws {
        try ask("This cannot be undone. Remove \(name)?", "\(command) cannot be undone", isDryRun: isDryRun)
    }
}
