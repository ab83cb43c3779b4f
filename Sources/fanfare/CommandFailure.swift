import ArgumentParser
import Campaigns
import Fleet

/// A command's failure: the problem document with its exit code.
struct CommandFailure: Error {
    let document: ProblemDocument
    let exit: FanfareExit
    /// The errors for people, where a position in a file says more than a pointer: `derby.json:12:5: …`.
    let lines: [String]?

    /// Makes a failure with several problems; `exit` defaults to the code for the document's kind.
    init(_ document: ProblemDocument, exit: FanfareExit? = nil, lines: [String]? = nil) {
        self.document = document
        self.lines = lines
        self.exit = exit ?? FanfareExit(document.kind)
    }

    /// Makes a failure that one line describes.
    init(_ kind: ProblemDocument.Kind, _ title: String, exit: FanfareExit? = nil) {
        self.init(ProblemDocument(kind, title: title), exit: exit)
    }

    /// Makes the failure of an invalid configuration; a password in a flag counts as wrong usage.
    init(_ error: ConfigurationError) {
        let isUsage = error.problems.allSatisfy { $0.code == "password_in_flag" }
        let title = isUsage ? "The command was called wrongly" : "The configuration cannot be used"
        self.init(
            ProblemDocument(isUsage ? .usage : .configuration, title: title, errors: error.problems.map(\.problem))
        )
    }
}

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
            let document = ProblemDocument(.failed, title: TerminalText.safe("\(error)"))
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
