import Campaigns
import Delivery
import NIOCore
import Operations
import Store

/// Campaigns to segments that nobody has prepared: from the producer's publish to the first request's arrival, while
/// the audience is still being frozen.
struct FirstScenario: Sendable {
    let stage: BenchStage

    /// Targets in milliseconds.
    static let median = 300.0
    static let worst = 1_000.0
    /// The least rate while the audience is frozen, as a share of the slower of a prepared list's and the registry's.
    static let share = 0.8
    private static let timeout = Duration.seconds(60)
    /// The segment of all devices.
    static let everyone = "league:laliga"

    /// The segments, by their part of the registry that `BenchFleet.register` fills.
    private static let segments = [
        ("all", "all of it", everyone), ("tenth", "a tenth", "team:7 || team:8"),
        ("few", "one of 900", #"level == 7 && app_version == 3.4.1"#),
    ]

    /// Measures the first requests, then the rate of a whole campaign beside that of a list.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(.first), stage.rounds(.first))
        let fleet = try await BenchFleet(.first, stage)
        let peer = try await Peer.start("far-first", below: fleet.folder.path, options: ["--arrivals"], stage)
        try await fleet.upload(devices)
        try await fleet.register(devices)
        try await fleet.start(to: [BenchJob.app: peer])
        // Connections are open from here on: the first second of a cold worker is another subject.
        _ = try await milliseconds(fleet, peer) { try await fleet.begin() }
        var found: [String: [Double]] = [:]
        for number in 1...rounds {
            stage.say("round \(number) of \(rounds)")
            found["list", default: []].append(try await milliseconds(fleet, peer) { try await fleet.begin() })
            for (name, _, segment) in Self.segments {
                let one = try await milliseconds(fleet, peer) { try await fleet.begin(toSegment: segment) }
                found[name, default: []].append(one)
            }
        }
        stage.say("whole campaigns")
        let list = try await fleet.send(devices, peer: peer)
        let whole = try await fleet.send(devices, toSegment: Self.segments[0].2, peer: peer)
        let meanwhile = try await meanwhile(fleet, devices)
        try await compareNewWorkers(fleet, peer, rounds, &found)
        var more = try await severalPlanners(fleet, devices, peer: peer, one: whole)
        await fleet.stopWorkers()
        more += try await urgentBeside(fleet, peer: peer)
        stage.say("the registry alone")
        let read = Double(devices) / (try await freeze(fleet, peer: peer))
        await fleet.stopWorkers()
        more += try await behindNetwork(fleet, peer: peer)
        // The next scenario wants a broker with nothing in its queues; nobody took what was frozen alone.
        try await fleet.start(to: [BenchJob.app: peer])
        try await fleet.emptyQueues()
        await fleet.stopWorkers()
        try await fleet.close()
        await stage.processes.stop(peer.name)
        return BenchResult(
            scenario: .first,
            subject: "one worker, \(NumberText.grouped(devices)) devices in the registry, connections open",
            runs: nil,
            metrics: metrics(found, list: list, whole: whole, read: read, meanwhile: meanwhile) + more,
            notes: ["a campaign to a prepared list is measured beside them, in turn"],
            details: [list.json, whole.json] + found.sorted { $0.key < $1.key }.map(Self.json)
        )
    }

    private func warmShare(_ found: [String: [Double]]) -> Double? {
        guard let cold = found["cold"], let warm = found["warm"], !cold.isEmpty, !warm.isEmpty else { return nil }
        return BenchNumber.median(warm) / BenchNumber.median(cold)
    }

    private static func json(_ name: String, _ milliseconds: [Double]) -> JSONValue {
        .object(["name": .string(name), "ms": .array(milliseconds.map(JSONValue.decimal))])
    }

    private func metrics(
        _ found: [String: [Double]],
        list: CampaignRun,
        whole: CampaignRun,
        read: Double,
        meanwhile: Double
    ) -> [BenchMetric] {
        func metrics(_ name: String, _ label: String, hasTarget: Bool) -> [BenchMetric] {
            let times = found[name] ?? []
            return [
                BenchMetric(
                    "\(name)_p50_ms",
                    "publish to first request, \(label), median",
                    times.isEmpty ? nil : BenchNumber.median(times),
                    unit: "ms",
                    digits: 0,
                    target: hasTarget ? .atMost(Self.median) : nil
                ),
                BenchMetric(
                    "\(name)_worst_ms",
                    "the slowest, \(label)",
                    times.max(),
                    unit: "ms",
                    digits: 0,
                    target: hasTarget ? .atMost(Self.worst) : nil
                ),
            ]
        }
        let lists = [
            ("list", "a prepared list"), ("cold", "the list, a worker that has never sent"),
            ("warm", "the list, the same worker a moment later"),
        ]
        return Self.segments.flatMap { metrics($0.0, $0.1, hasTarget: true) }
            + lists.flatMap { metrics($0.0, $0.1, hasTarget: false) } + [
                BenchMetric("warm_share", "warm as a share of cold, medians", warmShare(found)),
                BenchMetric(
                    "rate_share",
                    "rate while the audience is frozen, as a share of the slower of the next two",
                    whole.rate / min(list.rate, read),
                    target: .atLeast(Self.share)
                ),
                BenchMetric("list_rate", "devices a second of a prepared list", list.rate, digits: 0),
                BenchMetric("read_rate", "the same of the registry, frozen and not sent to", read, digits: 0),
                BenchMetric("rate", "the same of both at once", whole.rate, digits: 0),
                BenchMetric("meanwhile", "the part that was sent before the audience was complete", meanwhile),
                BenchMetric(
                    "resident_mb",
                    "resident peak of the worker",
                    Double(whole.residentPeak) / 1024,
                    unit: "MB",
                    digits: 0,
                    target: .atMost(100)
                ),
            ]
    }

    /// Measures a list with workers that have never sent, and with the same ones a moment later, in turn.
    private func compareNewWorkers(
        _ fleet: BenchFleet,
        _ peer: Peer,
        _ rounds: Int,
        _ found: inout [String: [Double]]
    ) async throws {
        for number in 1...rounds {
            stage.say("new worker \(number) of \(rounds)")
            await fleet.stopWorkers()
            try await fleet.start(to: [BenchJob.app: peer])
            for name in ["cold", "warm"] {
                found[name, default: []].append(try await milliseconds(fleet, peer) { try await fleet.begin() })
            }
        }
    }

    /// Publishes a campaign, waits for its first request and cancels it; returns the milliseconds between.
    private func milliseconds(
        _ fleet: BenchFleet,
        _ peer: Peer,
        _ begin: () async throws -> BenchJob
    ) async throws -> Double {
        let before = await peer.arrivals().count
        let published = Int64(NIODeadline.now().uptimeNanoseconds)
        let job = try await begin()
        let start = ContinuousClock.now
        while await peer.arrivals().count == before {
            guard ContinuousClock.now - start < Self.timeout else {
                throw CommandFailure(.failed, "\(job.job.id) sends nothing; the logs are in \(stage.folder.path)")
            }
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(20))
        }
        let first = await peer.arrivals()[before]
        try await end(job, fleet)
        return Double(first - published) / 1e6
    }

    /// Cancels a campaign, and waits until nothing of it is left.
    func end(_ job: BenchJob, _ fleet: BenchFleet) async throws {
        try await fleet.cancel(job)
        while try await fleet.status(of: job).map({ $0.completedAt == nil }) ?? true {
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(50))
        }
        try await fleet.emptyQueues()
    }

    /// Sends a campaign to all of the registry; returns the part that had an outcome when its audience was complete.
    private func meanwhile(_ fleet: BenchFleet, _ devices: Int) async throws -> Double {
        let job = try await fleet.begin(toSegment: Self.segments[0].2)
        var done = 0
        while true {
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(50))
            guard let status = try await fleet.status(of: job) else { continue }
            if status.isPlanning { done = status.counts.total }
            if status.completedAt != nil { return Double(done) / Double(devices) }
        }
    }
}
