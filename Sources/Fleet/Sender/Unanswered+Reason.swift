import Transport

extension Unanswered.UnknownReason {
    /// What the ledger keeps as the reason of a device without an answer.
    var text: String {
        switch self {
        case .deadline: "NoAnswer"
        case .reset(let code): "Reset\(code)"
        case .connectionLost: "ConnectionLost"
        }
    }
}
