import Campaigns
import Delivery
import NIOCore
import Operations
import Store

/// Urgent campaigns of one request while a bulk campaign is sent: from the producer's publish to the request's arrival
/// at a simulator of their own.
struct UrgentScenario: Sendable {
    /// The receiver of each campaign's only request.
    let receiver: BenchJob.Receiver
    let stage: BenchStage

    init(_ receiver: BenchJob.Receiver, stage: BenchStage) {
        (self.receiver, self.stage) = (receiver, stage)
    }

    private var scenario: BenchScenario { receiver == .device ? .urgent : .goal }

    /// Targets in milliseconds.
    static let median = 10.0
    static let worst = 50.0
    /// The share of the full rate.
    static let share = 0.6
    private static let warmUp = 3
    /// The pause between two urgent campaigns.
    private static let pause = Duration.milliseconds(50)
    private static let timeout = Duration.seconds(10)

    /// The measurements beside one bulk campaign.
    private struct Phase {
        var milliseconds: [Double] = []
        /// Bulk devices a second.
        var rate = 0.0
        /// Urgent campaigns whose request had not arrived after ten seconds.
        var late = 0
        /// Urgent campaigns measured after the end of the bulk campaign.
        var alone = 0

        func percentile(_ share: Double) -> Double? {
            // A request that never arrived counts as slower than any that did.
            BenchNumber.percentile(share, of: milliseconds + Array(repeating: .infinity, count: late))
                .flatMap { $0.isFinite ? $0 : nil }
        }
    }

    private var jobs: Int { max(5, min(200, stage.devices(scenario) / 15_000)) }

    /// Measures at the full rate first, of which the other rate is 60 %.
    func run() async throws -> BenchResult {
        let devices = stage.devices(scenario)
        let fleet = try await BenchFleet(scenario, stage)
        try await fleet.upload(devices)
        if receiver == .channel { try await fleet.addChannel() }
        let urgent = try await Peer.start("far-urgent", below: fleet.folder.path, options: ["--arrivals"], stage)
        let peer = try await Peer.start("far-bulk", below: fleet.folder.path, stage)
        let idle = try await phase(fleet, bulk: peer, urgent: urgent, isIdle: true)
        stage.say("beside bulk at the full rate")
        let full = try await phase(fleet, bulk: peer, urgent: urgent)
        await stage.processes.stop(peer.name)
        let rate = max(100, Int(full.rate * Self.share))
        stage.say("beside bulk at \(NumberText.grouped(rate)) a second")
        let options = ["--answers-per-second", "\(rate)"]
        let slow = try await Peer.start("far-slow", below: fleet.folder.path, options: options, stage)
        let partly = try await phase(fleet, bulk: slow, urgent: urgent)
        try await fleet.close()
        for name in [slow.name, urgent.name] { await stage.processes.stop(name) }
        let alone = full.alone + partly.alone
        return BenchResult(
            scenario: scenario,
            subject: "one worker, \(jobs) urgent campaigns to one \(receiver) beside bulk, \(jobs / 4 + 1) without",
            runs: nil,
            metrics: metrics("60", "bulk at 60 %", partly, hasTarget: true)
                + metrics("100", "bulk at 100 %", full, hasTarget: false)
                + metrics("idle", "no bulk", idle, hasTarget: false) + [
                    BenchMetric("rate_60", "bulk devices a second at 60 %", partly.rate, digits: 0),
                    BenchMetric("rate_100", "bulk devices a second at 100 %", full.rate, digits: 0),
                ],
            notes: alone > 0 ? ["\(alone) of them were measured after the bulk campaign had ended"] : [],
            details: [partly, full, idle].map { .array($0.milliseconds.map(JSONValue.decimal)) }
        )
    }

    private func metrics(_ name: String, _ label: String, _ phase: Phase, hasTarget: Bool) -> [BenchMetric] {
        [
            BenchMetric(
                "p50_\(name)_ms",
                "publish to arrival, \(label), median",
                phase.percentile(0.5),
                unit: "ms",
                digits: 1,
                target: hasTarget && receiver == .device ? .atMost(Self.median) : nil
            ),
            BenchMetric(
                "p99_\(name)_ms",
                "publish to arrival, \(label), 99 of 100",
                phase.percentile(0.99),
                unit: "ms",
                digits: 1,
                target: hasTarget ? .atMost(Self.worst) : nil
            ),
        ]
    }

    // MARK: A phase

    /// Measures urgent campaigns beside one bulk campaign, with a new worker.
    private func phase(
        _ fleet: BenchFleet,
        bulk peer: Peer,
        urgent: Peer,
        isIdle: Bool = false
    ) async throws -> Phase {
        try await fleet.start(to: [BenchJob.app: peer, BenchJob.urgentApp: urgent])
        // The connection for urgent campaigns stays open from the first one on.
        for _ in 0..<Self.warmUp { _ = try await milliseconds(fleet, urgent) }
        var phase = Phase()
        if isIdle {
            for _ in 0...jobs / 4 { try await measure(&phase, fleet, urgent) }
        } else {
            try await measure(&phase, beside: try await fleet.begin(), fleet, urgent)
        }
        try await fleet.emptyQueues()
        await fleet.stopWorkers()
        return phase
    }

    private func measure(
        _ phase: inout Phase,
        beside bulk: BenchJob,
        _ fleet: BenchFleet,
        _ urgent: Peer
    ) async throws {
        var progress = BulkProgress()
        // The first devices are sent while connections are still being opened.
        while try await progress.poll(at: bulk, fleet), progress.share < 0.05 {
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(20))
        }
        progress.restart()
        for _ in 0..<jobs {
            let isRunning = try await progress.poll(at: bulk, fleet)
            try await measure(&phase, fleet, urgent)
            if !isRunning { phase.alone += 1 }
        }
        phase.rate = progress.rate
        try await fleet.cancel(bulk)
        while try await progress.poll(at: bulk, fleet) { try await Task.sleep(for: .milliseconds(50)) }
    }

    private func measure(_ phase: inout Phase, _ fleet: BenchFleet, _ urgent: Peer) async throws {
        if let milliseconds = try await milliseconds(fleet, urgent) {
            phase.milliseconds.append(milliseconds)
        } else {
            phase.late += 1
        }
    }

    /// Sends one urgent campaign and returns its latency; nil when its request did not arrive in time.
    func milliseconds(_ fleet: BenchFleet, _ urgent: Peer) async throws -> Double? {
        let before = await urgent.arrivals().count
        let job = try await fleet.urgentJob(to: receiver)
        let published = Int64(NIODeadline.now().uptimeNanoseconds)
        try await job.publish(fleet.producer)
        let start = ContinuousClock.now
        while ContinuousClock.now - start < Self.timeout {
            let arrivals = await urgent.arrivals()
            if arrivals.count > before {
                try await Task.sleep(for: Self.pause)
                return Double(arrivals[before] - published) / 1e6
            }
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(5))
        }
        return nil
    }
}

/// The bulk campaign's progress and rate.
private struct BulkProgress {
    private var first: (done: Int, at: ContinuousClock.Instant)?
    private var last: (done: Int, at: ContinuousClock.Instant)?
    private var audience = 0

    /// Reads the progress; returns false after the campaign's end.
    mutating func poll(at job: BenchJob, _ fleet: BenchFleet) async throws -> Bool {
        guard let status = try await fleet.status(of: job) else { return true }
        audience = status.audience
        guard status.stage.isLive || status.pending.total > 0 else {
            if last == nil { last = (status.counts.accepted, .now) }
            return false
        }
        if first == nil { first = (status.counts.accepted, .now) }
        last = (status.counts.accepted, .now)
        return true
    }

    /// Measures the rate from here on.
    mutating func restart() { (first, last) = (last, nil) }

    var share: Double { Double(last?.done ?? 0) / Double(max(1, audience)) }

    /// Devices a second.
    var rate: Double {
        guard let first, let last, last.done > first.done else { return 0 }
        return Double(last.done - first.done) / max((last.at - first.at) / .seconds(1), 1e-3)
    }
}
