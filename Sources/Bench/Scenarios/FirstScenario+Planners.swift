import Campaigns
import Delivery
import NIOCore
import Operations
import Store

/// An audience that several planners freeze, and an urgent campaign beside one that is frozen.
extension FirstScenario {
    /// The most CPU for a device with several planners, as a multiple of one's.
    static let cpuRatio = 1.1
    /// The least speed of two planners behind a network, as a multiple of one's.
    static let speedUp = 1.6
    private static let planners = 4
    private static let urgentCampaigns = 40

    /// Sends a whole campaign with more workers beside the one that runs; `one` is that with one.
    func severalPlanners(
        _ fleet: BenchFleet,
        _ devices: Int,
        peer: Peer,
        one: CampaignRun
    ) async throws
        -> [BenchMetric]
    {
        stage.say("with \(Self.planners) planners")
        try await fleet.start(Self.planners - 1, to: [BenchJob.app: peer])
        let several = try await fleet.send(devices, toSegment: Self.everyone, peer: peer)
        return [
            BenchMetric("cpu_us", "CPU for a device, one worker", one.microseconds, unit: "µs"),
            BenchMetric(
                "cpu_several_us",
                "CPU for a device, \(Self.planners) workers",
                several.microseconds,
                unit: "µs"
            ),
            BenchMetric(
                "cpu_ratio",
                "that as a multiple of one worker's",
                several.microseconds / one.microseconds,
                target: .atMost(Self.cpuRatio)
            ),
        ]
    }

    /// Measures urgent campaigns of one device while the whole audience is frozen, with a new worker.
    func urgentBeside(_ fleet: BenchFleet, peer: Peer) async throws -> [BenchMetric] {
        stage.say("urgent campaigns beside it")
        let options = ["--arrivals"]
        let far = try await Peer.start("far-urgent", below: fleet.folder.path, options: options, stage)
        try await fleet.start(to: [BenchJob.app: peer, BenchJob.urgentApp: far])
        let urgent = UrgentScenario(.device, stage: stage)
        for _ in 0..<3 { _ = try await urgent.milliseconds(fleet, far) }
        var (found, late): ([Double], Int) = ([], 0)
        while found.count + late < Self.urgentCampaigns {
            let bulk = try await fleet.begin(toSegment: Self.everyone)
            while try await fleet.status(of: bulk).map({ $0.audience == 0 }) ?? true {
                try await stage.processes.check()
                try await Task.sleep(for: .milliseconds(20))
            }
            // Those that overlap with its freezing; a fast one is begun again.
            while found.count + late < Self.urgentCampaigns, try await fleet.status(of: bulk)?.isPlanning == true {
                if let one = try await urgent.milliseconds(fleet, far) { found.append(one) } else { late += 1 }
            }
            try await end(bulk, fleet)
        }
        await fleet.stopWorkers()
        await stage.processes.stop(far.name)
        // A request that never arrived counts as slower than any that did.
        let all = found + Array(repeating: .infinity, count: late)
        func percentile(_ share: Double) -> Double? {
            BenchNumber.percentile(share, of: all).flatMap { $0.isFinite ? $0 : nil }
        }
        return [
            BenchMetric(
                "urgent_p50_ms",
                "urgent publish to arrival beside it, median",
                percentile(0.5),
                unit: "ms",
                digits: 1,
                target: .atMost(UrgentScenario.median)
            ),
            BenchMetric(
                "urgent_p99_ms",
                "urgent publish to arrival beside it, 99 of 100",
                percentile(0.99),
                unit: "ms",
                digits: 1,
                target: .atMost(UrgentScenario.worst)
            ),
        ]
    }

    /// Freezes the whole audience behind a network of 1 ms each way, with one planner and with two; empty without a
    /// server.
    func behindNetwork(_ fleet: BenchFleet, peer: Peer) async throws -> [BenchMetric] {
        guard let (relay, url) = try await fleet.storage.relay(delay: .milliseconds(1)) else { return [] }
        stage.say("planners behind a network of 1 ms")
        let variables = ["FANFARE_STORE_URL": url]
        var seconds: [Double] = []
        for _ in 1...2 { seconds.append(try await freeze(fleet, peer: peer, variables)) }
        await fleet.stopWorkers()
        try await relay.close()
        return [
            BenchMetric("network_one_s", "the audience frozen behind 1 ms, one planner", seconds[0], unit: "s"),
            BenchMetric("network_two_s", "the same with two", seconds[1], unit: "s"),
            BenchMetric(
                "network_speed_up",
                "two planners' speed as a multiple of one's",
                seconds[0] / seconds[1],
                target: .atLeast(Self.speedUp)
            ),
        ]
    }

    /// Freezes the whole audience with one planner more, and with no sender beside it; returns the seconds.
    func freeze(_ fleet: BenchFleet, peer: Peer, _ variables: [String: String] = [:]) async throws -> Double {
        var setup = BenchFleet.WorkerSetup()
        (setup.roles, setup.variables) = ("intake,planner", variables)
        try await fleet.start(1, setup, to: [BenchJob.app: peer])
        let start = ContinuousClock.now
        let job = try await fleet.begin(toSegment: Self.everyone)
        while try await fleet.status(of: job).map({ $0.isPlanning || $0.audience == 0 }) ?? true {
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(50))
        }
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        // Nobody takes its messages; the next senders drop them.
        try await fleet.cancel(job)
        return seconds
    }
}
