import Transport

extension Unanswered.UnknownReason {
    /// The reason that the ledger keeps for a device without an answer.
    var text: String {
        switch self {
        case .deadline: "NoAnswer"
        case .reset(let code): "Reset\(code)"
        case .connectionLost: "ConnectionLost"
        }
    }
}
