public import Campaigns
public import PushProviders

extension Breaker.Trip {
    /// The outage that an answer reports.
    ///
    /// A throttled app cools down for `AnswerRule.laneCooldown` if the provider does not say for how long.
    public init(_ answer: Answer, since: Timestamp) {
        let asked = answer.retryAfter.map { Duration.seconds($0) }
        self.init(
            reason: answer.reason ?? "Unknown",
            since: since,
            rest: asked ?? (answer.kind == .laneThrottled ? AnswerRule.laneCooldown : nil)
        )
    }
}
