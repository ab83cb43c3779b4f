import Campaigns
import Store

/// A match as its producer tells it: minute 0 starts its Live Activity, each of the next ones has a new score, and the
/// last one ends it.
struct ActivityMatch: Sendable {
    /// The number of updates, and the minute of the last one.
    static let updates = 20
    /// The minute of the end.
    static let over = updates + 1

    let fleet: PrivateFleet
    private let kickOff = TestClock.now()

    init(fleet: PrivateFleet) {
        self.fleet = fleet
    }

    /// Publishes the message of a minute; each is younger than the one before, also for the phones.
    func publish(_ minute: Int) async throws { try await fleet.publish(job(minute)) }

    /// Returns the status of a minute's campaign.
    func status(_ minute: Int) async throws -> CampaignStatus? { try await fleet.status(Self.id(minute)) }

    /// Waits until each device of a minute's campaign has its outcome.
    func completed(_ minute: Int) async throws -> CampaignStatus { try await fleet.completed(Self.id(minute)) }

    private static func id(_ minute: Int) -> String { "derby-\(minute)" }

    private func job(_ minute: Int) -> TestJob {
        let isStart = minute == 0
        let event = isStart ? "start" : minute == Self.over ? "end" : "update"
        // The end has the last score.
        let score = min(minute, Self.updates)
        let state = JSONValue.object(["score": .number(JSONNumber(score)), "minute": .number(JSONNumber(minute))])
        let activity = JSONValue.object([
            "event": .string(event), "timestamp": .number(JSONNumber(kickOff.seconds + Int64(minute))),
            "content_state": state, "attributes_type": isStart ? "Match" : nil,
            "attributes": isStart ? ["match": 7] : nil,
        ])
        let followers: JSONValue = ["activity": ["type": "Match", "id": "match-7"]]
        var job = TestJob(Self.id(minute), [])
        job.createdAt = kickOff.advanced(by: .milliseconds(minute))
        job.audience = isStart ? ["segment": "derby"] : followers
        job.content = .object(["title": isStart ? "Kick-off" : nil, "live_activity": activity])
        return job.delivered([
            "push_type": "liveactivity", "priority": "normal", "collapse_id": isStart ? nil : "score", "ttl": 600,
        ])
    }
}
