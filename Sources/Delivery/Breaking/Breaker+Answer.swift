public import Campaigns
public import PushProviders

extension Breaker.Trip {
    /// An outage that an answer tells of; a throttled app rests for `AnswerRule.laneRest` where the provider does not say
    /// how long.
    public init(_ answer: Answer, since: Timestamp) {
        let asked = answer.retryAfter.map { Duration.seconds($0) }
        self.init(
            reason: answer.reason ?? "Unknown",
            since: since,
            rest: asked ?? (answer.kind == .laneThrottled ? AnswerRule.laneRest : nil)
        )
    }
}
