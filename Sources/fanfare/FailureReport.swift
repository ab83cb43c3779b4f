import ArgumentParser
import Campaigns
import Operations
import Settings
import Transport

/// Reports on standard error why a command ends: a line for each problem, or the problem document.
struct FailureReport {
    private let failure: CommandFailure?
    private let error: any Error
    private let isJSON: Bool

    init(_ error: any Error, isJSON: Bool) {
        self.error = error
        self.isJSON = isJSON
        failure =
            switch error {
            case let failure as CommandFailure: failure
            case let error as ConfigurationError: CommandFailure(error)
            default: Self.usage(error, isJSON: isJSON)
            }
    }

    /// Returns a problem document for a wrong call with `--json`; otherwise argument-parser prints it with the usage.
    private static func usage(_ error: any Error, isJSON: Bool) -> CommandFailure? {
        guard Fanfare.exitCode(for: error) == .validationFailure else { return nil }
        return isJSON ? CommandFailure(.usage, Fanfare.message(for: error)) : nil
    }

    /// Prints the failure and ends the process.
    func end() -> Never {
        if let code = error as? FanfareExit { Fanfare.exit(withError: ExitCode(code.rawValue)) }
        if let failure {
            Terminal.writeError((isJSON ? failure.document.json.text : lines(failure)) + "\n")
            Fanfare.exit(withError: ExitCode(failure.exit.rawValue))
        }
        switch Fanfare.exitCode(for: error) {
        case .success, .validationFailure: Fanfare.exit(withError: error)
        case .failure:
            let document = ProblemDocument(.failed, title: TerminalText.safe(SocketErrorText.words(error)))
            Terminal.writeError((isJSON ? document.json.text : "fanfare: \(document.title)") + "\n")
            Fanfare.exit(withError: ExitCode.failure)
        case let code: Fanfare.exit(withError: code)
        }
    }

    /// Returns a line for each problem, with the program's name in front as in other tools.
    private func lines(_ failure: CommandFailure) -> String {
        let document = failure.document
        if let configuration = error as? ConfigurationError {
            return configuration.problems.map { "fanfare: " + TerminalText.safe($0.line) }.joined(separator: "\n")
        }
        let campaign = document.campaign.map { " (\($0))" } ?? ""
        let title = ["fanfare: " + TerminalText.safe(document.title + campaign)]
        let problems = (failure.lines ?? document.errors.map(\.text)).map { "fanfare: " + TerminalText.safe($0) }
        let warnings = document.warnings.map { "fanfare: warning: " + $0.text }
        return (title + problems + warnings).joined(separator: "\n")
    }
}
