import Campaigns
import Operations

/// An update to all who follow a Live Activity, by their tokens for it, in turn with a campaign to a prepared list of
/// as many devices.
struct FollowersScenario: Sendable {
    let stage: BenchStage

    /// The least rate by the tokens, as a share of the list's.
    static let share = 0.8

    /// Runs all rounds.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.followers), stage.rounds(.followers))
        let fleet = try await BenchFleet(.followers, stage)
        let peer = try await Peer.start("far-followers", below: fleet.folder.path, stage)
        try await fleet.upload(devices)
        try await fleet.follow(devices)
        try await fleet.start(to: [BenchJob.app: peer])
        // Connections are open from here on.
        _ = try await fleet.send(devices, peer: peer)
        var (lists, updates): ([CampaignRun], [CampaignRun]) = ([], [])
        for number in 1...rounds {
            stage.say("round \(number) of \(rounds)")
            lists.append(try await fleet.send(devices, peer: peer))
            updates.append(try await fleet.sendToFollowers(devices, peer: peer))
        }
        try await fleet.close()
        let counts = try await peer.stop()
        return BenchResult(
            scenario: .followers,
            subject: "one worker, \(NumberText.grouped(devices)) devices that follow one activity",
            runs: nil,
            metrics: metrics(lists, updates) + [
                BenchMetric(
                    "lost",
                    "devices of the updates without an acceptance",
                    Double(devices * rounds - updates.reduce(0) { $0 + $1.outcomes.accepted }),
                    digits: 0,
                    target: .atMost(0)
                ),
                BenchMetric(
                    "repeated",
                    "requests beyond one for each device and campaign",
                    Double(counts.answered - devices * (2 * rounds + 1)),
                    digits: 0,
                    target: .atMost(0)
                ),
            ],
            details: zip(lists, updates).map { .object(["list": $0.json, "update": $1.json]) }
        )
    }

    private func metrics(_ lists: [CampaignRun], _ updates: [CampaignRun]) -> [BenchMetric] {
        let shares = zip(lists, updates).map { $1.rate / $0.rate }
        return [
            BenchMetric(
                "rate_share",
                "rate of an update by tokens as a share of the list's, median",
                BenchNumber.median(shares),
                target: .atLeast(Self.share)
            ),
            BenchMetric("list_rate", "devices a second of the list", BenchNumber.median(lists.map(\.rate)), digits: 0),
            BenchMetric("rate", "the same of the update", BenchNumber.median(updates.map(\.rate)), digits: 0),
            BenchMetric(
                "cpu_us",
                "CPU for a device of the update",
                BenchNumber.median(updates.map(\.microseconds)),
                unit: "µs"
            ),
        ]
    }
}
