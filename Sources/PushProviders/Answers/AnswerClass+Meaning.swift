extension AnswerClass {
    /// The meaning of the class for people: one sentence without the provider's own reason.
    public var meaning: String {
        switch self {
        case .accepted: "it would be taken"
        case .tokenDead: "the token is dead: the app is gone from the device, or the token is another project's"
        case .tokenSuspect: "the token is not one of this app's, or is of another environment"
        case .payloadBad: "the content will never be taken as it is"
        case .credential: "the app's credential is not accepted, or lacks the right to send"
        case .expiredCredential: "the token made with the app's key was refused, and so was the one after it"
        case .wrongKeyForConnection: "the connection belongs to another key"
        case .deviceThrottled: "too much was sent to this device; it may be taken later"
        case .laneThrottled: "too much was sent from this app; it may be taken later"
        case .serviceFault: "the provider has a fault; the job may be good"
        case .connectionFault: "the connection ended; the job may be good"
        case .bug: "the request is malformed, or the endpoint is not such a provider"
        }
    }
}

extension AnswerClass {
    /// The beginnings of reasons by which providers ask for fewer requests.
    private static let throttleWords = ["TooManyRequests", "QUOTA_EXCEEDED", "RESOURCE_EXHAUSTED", "Status429"]

    /// Returns true if a provider's reason, as the ledger keeps it, asks for fewer requests.
    public static func isThrottle(reason: String) -> Bool { throttleWords.contains { reason.hasPrefix($0) } }
}
