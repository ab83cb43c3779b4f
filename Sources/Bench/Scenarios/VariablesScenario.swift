import Campaigns
import Operations

/// The cost of three variables and four languages.
struct VariablesScenario: Sendable {
    let stage: BenchStage

    /// The CPU, as a multiple of that for the same campaign without them (issue 5).
    static let target = 1.3

    /// Sends with one worker to one list, alternately without and with variables.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.variables), stage.rounds(.variables))
        let fleet = try await BenchFleet(.variables, stage)
        let peer = try await Peer.start("far-variables", below: fleet.folder.path, stage)
        try await fleet.upload(devices, isPersonal: true)
        try await fleet.start(to: [BenchJob.app: peer])
        var pairs: [(plain: CampaignRun, personal: CampaignRun)] = []
        for number in 1...rounds {
            stage.say("round \(number) of \(rounds)")
            let plain = try await fleet.send(devices, peer: peer)
            pairs.append((plain, try await fleet.send(devices, isPersonal: true, peer: peer)))
        }
        try await fleet.close()
        await stage.processes.stop(peer.name)
        func median(_ value: ((plain: CampaignRun, personal: CampaignRun)) -> Double) -> Double {
            BenchNumber.median(pairs.map(value))
        }
        return BenchResult(
            scenario: .variables,
            subject: "one worker, \(NumberText.grouped(devices)) devices with three variables each, in four languages",
            runs: nil,
            metrics: [
                BenchMetric("plain_us", "CPU for a device, one text for all", median(\.plain.microseconds), unit: "µs"),
                BenchMetric("cpu_us", "CPU for a device, its own text", median(\.personal.microseconds), unit: "µs"),
                BenchMetric(
                    "cpu_ratio",
                    "that as a multiple of one text for all",
                    median { $0.personal.microseconds / $0.plain.microseconds },
                    target: .atMost(Self.target)
                ),
                BenchMetric("rate", "devices a second", median(\.personal.rate), digits: 0),
            ],
            details: pairs.map { .object(["plain": $0.plain.json, "personal": $0.personal.json]) }
        )
    }
}
