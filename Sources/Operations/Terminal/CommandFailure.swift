package import Campaigns
package import Settings
package import Store
package import Transport

/// A command's failure: the problem document with its exit code.
package struct CommandFailure: Error {
    /// The problem document, as `--json` prints it.
    package let document: ProblemDocument
    /// The exit code.
    package let exit: FanfareExit
    /// The errors for people, where a position in a file says more than a pointer: `derby.json:12:5: …`.
    package let lines: [String]?

    /// Makes a failure with several problems; `exit` defaults to the code for the document's kind.
    package init(_ document: ProblemDocument, exit: FanfareExit? = nil, lines: [String]? = nil) {
        self.document = document
        self.lines = lines
        self.exit = exit ?? FanfareExit(document.kind)
    }

    /// Makes a failure that one line describes.
    package init(_ kind: ProblemDocument.Kind, _ title: String, exit: FanfareExit? = nil) {
        self.init(ProblemDocument(kind, title: title), exit: exit)
    }

    /// Makes the failure of an invalid configuration; a password in a flag counts as wrong usage.
    package init(_ error: ConfigurationError) {
        let isUsage = error.problems.allSatisfy { $0.code == "password_in_flag" }
        let title = isUsage ? "The command was called wrongly" : "The configuration cannot be used"
        self.init(
            ProblemDocument(isUsage ? .usage : .configuration, title: title, errors: error.problems.map(\.problem))
        )
    }

    /// Makes the failure of an unusable ledger: 69, or 78 when its server refuses access, or 64 for an id of two apps.
    package init(_ error: LedgerError) {
        switch error {
        case .ambiguous: self.init(.ambiguousCampaign, error.description)
        case .failed: self.init(.failed, error.description)
        case .refused: self.init(.configuration, error.description)
        default: self.init(.unavailable, error.description)
        }
    }

    /// Makes the failure of an unusable broker: 78 when the configuration has to be fixed, else 69.
    package init(_ error: AMQPConnectError) {
        self.init(error.isConfiguration ? .configuration : .unavailable, error.description)
    }
}
