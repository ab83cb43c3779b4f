import Campaigns
import Operations

/// CPU of a process that plans and does not send.
struct PlanningScenario: Sendable {
    let stage: BenchStage

    /// Microseconds for a device of a list.
    static let target = 0.1
    /// Microseconds for a device of a segment, materialising included.
    static let segmentTarget = 3.0
    /// A segment expression that holds for every device of the bench.
    private static let segment = "league:laliga && !muted && app_version >= 3.0 && (level < 100 || locale == es)"

    /// A frequency cap that counts campaigns and never leaves a device out.
    private static let cap = "[{most: 1000, per: 1d, tags: [\(BenchJob.cappedTag)]}]"

    /// The campaigns of one kind.
    private struct Sort {
        var name: String
        var runs: [CampaignRun] = []

        /// Returns the planner's CPU over the whole campaign, since materialising precedes the first push.
        func whole(_ devices: Int) -> Double {
            BenchNumber.median(runs.map { $0.wholeCPU[0] / Double(max(1, devices)) * 1_000_000 })
        }

        /// The planner's CPU in the steady state.
        var steady: Double { BenchNumber.median(runs.map { $0.microseconds($0.cpu[0]) }) }
    }

    /// Sends with one process that plans and one that sends.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.planning), stage.rounds(.planning))
        let fleet = try await BenchFleet(.planning, stage)
        let peer = try await Peer.start("far-planning", below: fleet.folder.path, stage)
        try await fleet.upload(devices)
        let setup = BenchFleet.WorkerSetup(roles: "intake,planner", frequencyCap: Self.cap)
        try await fleet.start(1, setup, to: [BenchJob.app: peer])
        try await fleet.start(1, BenchFleet.WorkerSetup(roles: "sender"), to: [BenchJob.app: peer])
        func sort(_ name: String, _ send: () async throws -> CampaignRun) async throws -> Sort {
            var sort = Sort(name: name)
            for number in 1...rounds {
                stage.say("\(name), round \(number) of \(rounds)")
                sort.runs.append(try await send())
            }
            return sort
        }
        let list = try await sort("list") { try await fleet.send(devices, peer: peer) }
        let listCap = try await sort("list with a cap") { try await fleet.send(devices, counted: .cap, peer: peer) }
        try await fleet.register(devices)
        func segment(_ name: String, _ counted: BenchJob.Counted) async throws -> Sort {
            try await sort(name) {
                try await fleet.send(devices, toSegment: Self.segment, counted: counted, peer: peer)
            }
        }
        let plain = try await segment("segment", .none)
        let cap = try await segment("segment with a cap", .cap)
        let badge = try await segment("segment with a counted badge", .badge)
        try await fleet.close()
        await stage.processes.stop(peer.name)
        return BenchResult(
            scenario: .planning,
            subject: "one process with intake and planner, one with the sender, "
                + "\(NumberText.grouped(devices)) devices of a list a campaign",
            runs: nil,
            metrics: metrics(devices, list: list, listCap: listCap, plain: plain, cap: cap, badge: badge),
            notes: ["the whole process: its part of the ledger, the broker and looking whether there is work"],
            details: [list, listCap, plain, cap, badge].flatMap { $0.runs.map(\.json) }
        )
    }

    private func metrics(
        _ devices: Int,
        list: Sort,
        listCap: Sort,
        plain: Sort,
        cap: Sort,
        badge: Sort
    ) -> [BenchMetric] {
        [
            BenchMetric(
                "planner_us",
                "CPU of the planner for a device of a list",
                list.steady,
                unit: "µs",
                digits: 3,
                target: .atMost(Self.target)
            ),
            BenchMetric(
                "planner_segment_us",
                "CPU of the planner for a device of a segment, materialising included",
                plain.whole(devices),
                unit: "µs",
                digits: 3,
                target: .atMost(Self.segmentTarget)
            ),
            Self.apart("planner_cap_us", "the same of a list with a frequency cap", listCap.whole(devices)),
            Self.apart("planner_segment_cap_us", "the same of a segment with one", cap.whole(devices)),
            Self.apart("planner_badge_us", "the same of a segment with a counted badge", badge.whole(devices)),
            BenchMetric(
                "sender_us",
                "CPU of the sender",
                BenchNumber.median(list.runs.map { $0.microseconds($0.cpu[1]) }),
                unit: "µs"
            ),
            BenchMetric(
                "resident_segment_mb",
                "resident peak of the larger process, with as many devices in the registry",
                plain.runs.map { Double($0.residentPeak) / 1024 }.max(),
                unit: "MB",
                digits: 0,
                target: .atMost(MemoryScenario.target)
            ),
            BenchMetric("rate", "devices a second", BenchNumber.median(list.runs.map(\.rate)), digits: 0),
            BenchMetric("cap_rate", "the same with a cap", BenchNumber.median(listCap.runs.map(\.rate)), digits: 0),
        ]
    }

    /// Makes a number without a target, as design section 16 has none for it.
    private static func apart(_ name: String, _ text: String, _ value: Double) -> BenchMetric {
        BenchMetric(name, text, value, unit: "µs", digits: 3)
    }
}
