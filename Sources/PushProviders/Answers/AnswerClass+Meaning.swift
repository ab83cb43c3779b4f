extension AnswerClass {
    /// What an answer of this class says, for people: one sentence without the provider's own word.
    public var meaning: String {
        switch self {
        case .accepted: "it would be taken"
        case .tokenDead: "the token is dead: the app is gone from the device, or the token is another project's"
        case .tokenSuspect: "the token is none of this app's, or of another environment"
        case .payloadBad: "the content will never be taken as it is"
        case .credential: "the app's credential is not accepted, or lacks the right to send"
        case .expiredCredential: "the token that was made with the app's key is not taken, nor was the one after it"
        case .wrongKeyForConnection: "the connection belongs to another key"
        case .deviceThrottled: "too much was sent to this device; later it would be taken"
        case .laneThrottled: "too much was sent from this app; later it would be taken"
        case .serviceFault: "the provider is unwell; the job may be good"
        case .connectionFault: "the connection came to its end; the job may be good"
        case .bug: "the request is malformed, or the endpoint is no such provider"
        }
    }
}
