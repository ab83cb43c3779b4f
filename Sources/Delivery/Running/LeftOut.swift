public import Campaigns

/// The ending of a device without a request of its own.
public struct LeftOut: Equatable, Sendable {
    /// The outcome: `skipped` if the device was left out on purpose, else `failed`.
    public var outcome: Outcome
    /// The reason in the ledger.
    public var reason: String

    /// An ending.
    public init(_ outcome: Outcome, reason: String) {
        self.outcome = outcome
        self.reason = reason
    }

    /// The ending of a device whose body could not be rendered (contract, section 1, Outcomes and Limits).
    public init(_ failure: TemplateRenderer.Failure) {
        switch failure {
        case .aborted(let reason): self.init(.skipped, reason: reason.isEmpty ? "Aborted" : "Aborted: \(reason)")
        case .tooLarge: self.init(.failed, reason: "PayloadTooLarge")
        case .invalidVariable: self.init(.failed, reason: "InvalidVariable")
        case .invalidBadge: self.init(.failed, reason: "InvalidBadge")
        case .tooComplex: self.init(.failed, reason: "TemplateTooComplex")
        }
    }

    /// Returns a reason without the words of a template's author, which would make endless labels.
    public static func kind(of reason: String) -> String { reason.hasPrefix("Aborted: ") ? "Aborted" : reason }

    /// The ending after a template that this version cannot compile: nobody checked the message.
    public static let invalidTemplate = LeftOut(.failed, reason: "InvalidTemplate")
    /// The ending after a rendered collapse id that no header can carry.
    public static let invalidCollapseID = LeftOut(.failed, reason: "InvalidCollapseID")
    /// The ending of a token whose host is in a network to which strangers' requests do not go.
    public static let outOfScope = LeftOut(.failed, reason: "AddressNotGlobal")
}
