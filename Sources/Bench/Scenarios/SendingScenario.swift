import Campaigns
import Operations
import Store

/// A whole worker: campaigns and shards from RabbitMQ, requests, the ledger, settling.
struct SendingScenario: Sendable {
    let stage: BenchStage
    /// The provider whose requests are sent.
    var provider = BenchProvider.apns

    /// The design's limit, as a share of h2load's CPU.
    static let target = 0.8

    /// Runs all pairs.
    func run() async throws -> BenchResult {
        _ = try BenchTools.h2load()
        let scenario: BenchScenario = provider.name == .apns ? .sending : .bearer
        let (devices, rounds) = (stage.devices(scenario), stage.rounds(scenario))
        let fleet = try await BenchFleet(scenario, stage)
        let name = "far-\(scenario.rawValue)"
        let peer = try await Peer.start(name, below: fleet.folder.path, options: provider.peerOptions, stage)
        try await fleet.upload(devices, of: provider)
        try await fleet.start(1, BenchFleet.WorkerSetup(provider: provider), to: [BenchJob.app: peer])
        let request = try provider.request(BenchJob(number: 0, now: WallClock.now().asRead), peer)
        let generator = try await LoadGenerator(request, folder: fleet.folder.path, peer: peer, stage: stage)
        var (pairs, shares, runs) = ([BenchPair](), [CPUShares](), [CampaignRun]())
        for number in 1...rounds {
            stage.say("pair \(number) of \(rounds)")
            let run = try await fleet.send(devices, peer: peer)
            let h2load = try await generator.run(requests: devices, distinctPaths: false)
            let paths = try await generator.run(requests: devices, distinctPaths: true)
            let transport = try await TransportScenario.measure(requests: devices, peer: peer, stage)
            pairs.append(BenchPair(fanfare: run.benchRun, h2load: h2load, h2loadPaths: paths))
            shares.append(CPUShares(run, transport: transport.run))
            runs.append(run)
        }
        try await fleet.close()
        await stage.processes.stop(peer.name)
        let done = BenchPairs(pairs: pairs)
        let peak = runs.map(\.residentPeak).max().map { Double($0) / 1024 }
        return BenchResult(
            scenario: scenario,
            subject:
                "one worker with all roles, \(provider.name.rawValue), \(NumberText.grouped(devices)) devices a campaign, "
                + "body of \(request.body.count) bytes",
            runs: done.table,
            metrics: done.metrics(target: Self.target) + CPUShares.metrics(shares) + [
                BenchMetric("resident_mb", "resident peak of the worker", peak, unit: "MB", digits: 0)
            ],
            notes: done.notes,
            details: zip(pairs, runs).map { .object(["pair": $0.json, "campaign": $1.json]) }
        )
    }
}

/// The parts of a worker's CPU, in microseconds a device (design, section 16).
struct CPUShares: Sendable, Equatable {
    /// The transport, measured alone in the same minute.
    let transport: Double
    /// The ledger's writer.
    let ledger: Double
    /// Planner, intake and everything else that runs as Swift tasks.
    let planning: Double
    /// The remainder: broker, shards, answers, settling.
    let rest: Double

    init(_ run: CampaignRun, transport: BenchRun) {
        self.init(
            total: run.microseconds,
            transport: transport.microseconds,
            ledger: run.microseconds(run.threads[.ledger]),
            tasks: run.microseconds(run.threads[.tasks])
        )
    }

    init(total: Double, transport: Double, ledger: Double, tasks: Double) {
        self.transport = transport
        self.ledger = ledger
        planning = tasks
        rest = total - transport - ledger - tasks
    }

    /// Returns the medians with their limits.
    static func metrics(_ shares: [CPUShares]) -> [BenchMetric] {
        func median(_ value: (CPUShares) -> Double) -> Double? {
            shares.isEmpty ? nil : BenchNumber.median(shares.map(value))
        }
        func metric(_ name: String, _ label: String, _ value: (CPUShares) -> Double, _ most: Double?) -> BenchMetric {
            BenchMetric(name, label, median(value), unit: "µs", target: most.map { .atMost($0) })
        }
        return [
            metric("transport_us", "of it: the transport, measured alone", \.transport, nil),
            metric("ledger_us", "of it: ledger", \.ledger, 0.12),
            metric("planning_us", "of it: planning, intake and other tasks", \.planning, 0.1),
            metric("rest_us", "of it: everything else", \.rest, 0.25),
        ]
    }
}
