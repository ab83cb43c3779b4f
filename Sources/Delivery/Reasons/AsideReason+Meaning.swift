extension AsideReason {
    /// The meaning for people: what it is, and what ends it.
    public var meaning: String {
        switch self {
        case .paused: "an operator paused it; fanfare campaign resume ends that"
        case .suspended:
            "an operator paused its app, provider or urgency; fanfare status says which, fanfare resume ends it"
        case .held: "it is prepared and waits for fanfare campaign fire"
        case .credentials:
            "the provider refuses the app's credentials; correct them, fanfare app reload, then fanfare campaign resume"
        case .app: "no worker has the app; add it to the workers' apps.yaml"
        case .wrongEnvironment:
            "most tokens are called wrong; check the app's environment and the list, then fanfare campaign resume"
        case .content:
            "the provider refuses the content; fanfare campaign events has its words, then fanfare campaign resume or cancel"
        case .atMost: "the audience is larger than at_most; fanfare campaign resume sends to all of it"
        case .guard: "the first answers tell whether the tokens belong to the app's environment; then it goes on"
        case .suspect: "tokens that were called wrong once are tried last"
        case .breaker: "the provider takes nothing of the app; fanfare status has since when, why and the next probe"
        case .rate: "it waits for its turn under a rate"
        case .quiet: "its time zone has quiet hours"
        case .handOver: "another worker takes it over"
        }
    }
}
