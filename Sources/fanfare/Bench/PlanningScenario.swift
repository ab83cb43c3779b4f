import Campaigns
import Fleet

/// CPU of a process that plans and does not send.
struct PlanningScenario: Sendable {
    let stage: BenchStage

    /// Microseconds a device, from a list.
    static let target = 0.1
    /// Microseconds a device, from a segment, materialising included.
    static let segmentTarget = 3.0
    /// What the segment asks; it holds for every device of the bench.
    private static let segment = "league:laliga && !muted && app_version >= 3.0 && (level < 100 || locale == es)"

    /// Sends with one process that plans and one that sends.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.planning), stage.rounds(.planning))
        let fleet = try await BenchFleet(.planning, stage)
        let far = try await FarSide.start("far-planning", below: fleet.folder.path, stage)
        try await fleet.upload(devices)
        try await fleet.start(1, BenchFleet.Crew(roles: "intake,planner"), to: [BenchJob.app: far])
        try await fleet.start(1, BenchFleet.Crew(roles: "sender"), to: [BenchJob.app: far])
        var runs: [CampaignRun] = []
        for number in 1...rounds {
            stage.say("round \(number) of \(rounds)")
            runs.append(try await fleet.send(devices, far: far))
        }
        try await fleet.register(devices)
        var segments: [CampaignRun] = []
        for number in 1...rounds {
            stage.say("segment, round \(number) of \(rounds)")
            segments.append(try await fleet.send(devices, toSegment: Self.segment, far: far))
        }
        try await fleet.close()
        await stage.processes.stop(far.name)
        func median(_ value: (CampaignRun) -> Double) -> Double { BenchNumber.median(runs.map(value)) }
        // All of the campaign, from before it was published: materialising comes before the first push.
        let segment = BenchNumber.median(segments.map { $0.wholeCPU[0] / Double(max(1, devices)) * 1_000_000 })
        return BenchResult(
            scenario: .planning,
            subject: "one process with intake and planner, one with the sender, "
                + "\(NumberText.grouped(devices)) devices of a list a campaign",
            runs: nil,
            figures: [
                BenchFigure(
                    "planner_us",
                    "CPU of the planner for a device of a list",
                    median { $0.microseconds($0.cpu[0]) },
                    unit: "µs",
                    digits: 3,
                    target: .atMost(Self.target)
                ),
                BenchFigure(
                    "planner_segment_us",
                    "CPU of the planner for a device of a segment, materialising included",
                    segment,
                    unit: "µs",
                    digits: 3,
                    target: .atMost(Self.segmentTarget)
                ),
                BenchFigure("sender_us", "CPU of the sender", median { $0.microseconds($0.cpu[1]) }, unit: "µs"),
                BenchFigure(
                    "resident_segment_mb",
                    "resident peak of the larger process, with as many devices in the registry",
                    segments.map { Double($0.residentPeak) / 1024 }.max(),
                    unit: "MB",
                    digits: 0,
                    target: .atMost(MemoryScenario.target)
                ),
                BenchFigure("rate", "devices a second", median(\.rate), digits: 0),
            ],
            notes: ["the whole process: its part of the ledger, the broker and looking whether there is work"],
            details: (runs + segments).map(\.json)
        )
    }
}
