public import Campaigns

/// Why a device ends without a request of its own.
public struct LeftOut: Equatable, Sendable {
    /// `skipped` when it was left out on purpose, else `failed`.
    public var outcome: Outcome
    /// The reason in the ledger.
    public var reason: String

    /// An end.
    public init(_ outcome: Outcome, reason: String) {
        self.outcome = outcome
        self.reason = reason
    }

    /// What it means that its body could not be rendered (contract, section 1, Outcomes and Limits).
    public init(_ failure: TemplateRenderer.Failure) {
        switch failure {
        case .aborted(let reason): self.init(.skipped, reason: reason.isEmpty ? "Aborted" : "Aborted: \(reason)")
        case .tooLarge: self.init(.failed, reason: "PayloadTooLarge")
        case .invalidVariable: self.init(.failed, reason: "InvalidVariable")
        case .invalidBadge: self.init(.failed, reason: "InvalidBadge")
        case .tooComplex: self.init(.failed, reason: "TemplateTooComplex")
        }
    }

    /// A reason without the words of a template's author, which are no end of labels.
    public static func kind(of reason: String) -> String { reason.hasPrefix("Aborted: ") ? "Aborted" : reason }

    /// A template that this version cannot compile: nobody checked the message.
    public static let invalidTemplate = LeftOut(.failed, reason: "InvalidTemplate")
    /// A rendered collapse id that no header can carry.
    public static let invalidCollapseID = LeftOut(.failed, reason: "InvalidCollapseID")
    /// Its token names a host in a network where requests of strangers do not go.
    public static let outOfReach = LeftOut(.failed, reason: "AddressNotGlobal")
}
