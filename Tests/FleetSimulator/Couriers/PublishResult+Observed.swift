import Transport

extension PublishResult {
    /// The result as the observer judges it.
    var observed: Observer.PublishEnd {
        switch self {
        case .confirmed: .confirmed
        case .returned: .returned
        case .nacked: .nacked
        case .timedOut, .connectionLost, .queueFull, .invalid: .unknown
        }
    }
}
