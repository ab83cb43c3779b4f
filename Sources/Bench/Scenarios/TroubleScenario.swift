import Campaigns
import Operations

/// A worker whose provider is slow, refuses or goes away, alternating with one whose provider does not.
struct TroubleScenario: Sendable {
    private let scenario: BenchScenario
    private let stage: BenchStage

    init(_ scenario: BenchScenario, stage: BenchStage) {
        self.scenario = scenario
        self.stage = stage
    }

    /// The simulator's faults.
    private var options: [String] {
        switch scenario {
        case .latency: ["--fault", "latency=50"]
        case .dead: ["--fault", "dead=0.05"]
        case .goaway: ["--fault", "goaway_every=1000"]
        case .retries: ["--fault", "unavailable=0.05"]
        default: preconditionFailure("\(scenario) has no trouble")
        }
    }

    /// A campaign without trouble and one with it.
    private struct Round {
        let clear: CampaignRun
        /// The campaign that opens the connections, where that takes long.
        let cold: CampaignRun?
        let trouble: CampaignRun
        let transport: BenchRun?
    }

    /// Runs all rounds.
    func run() async throws -> BenchResult {
        let (devices, rounds) = (stage.devices(scenario), stage.rounds(scenario))
        let fleet = try await BenchFleet(scenario, stage)
        let clear = try await Peer.start("far-clear", below: fleet.folder.path, stage)
        let trouble = try await Peer.start("far-trouble", below: fleet.folder.path, options: options, stage)
        try await fleet.upload(devices)
        var done: [Round] = []
        for number in 1...rounds {
            stage.say("round \(number) of \(rounds)")
            try await fleet.start(to: [BenchJob.app: clear])
            let without = try await fleet.send(devices, peer: clear)
            await fleet.stopWorkers()
            let list = try await troubleList(fleet, number, devices)
            try await fleet.start(to: [BenchJob.app: trouble])
            // After the first eight, one connection a second is opened; all are kept for hours.
            let cold = scenario == .latency ? try await fleet.send(devices, to: list, peer: trouble) : nil
            // A device that fails twice ends failed: the third try would come half a minute later.
            let with = try await fleet.send(devices, to: list, maxAttempts: scenario == .retries ? 2 : 8, peer: trouble)
            if number < rounds { await fleet.stopWorkers() }
            let alone = scenario == .retries
            let transport = alone ? try await TransportScenario.measure(requests: devices, peer: clear, stage) : nil
            done.append(Round(clear: without, cold: cold, trouble: with, transport: transport?.run))
        }
        try await fleet.close()
        await stage.processes.stop(clear.name)
        let counts = try await trouble.stop()
        return BenchResult(
            scenario: scenario,
            subject: "one worker, \(NumberText.grouped(devices)) devices a campaign",
            runs: table(done),
            metrics: metrics(done, counts, devices: devices),
            notes: notes(done),
            details: done.map { .object(["clear": $0.clear.json, "trouble": $0.trouble.json]) }
        )
    }

    /// Returns the list for the trouble; dead devices are not sent to again, so each such campaign has its own list.
    private func troubleList(_ fleet: BenchFleet, _ number: Int, _ devices: Int) async throws -> String {
        guard scenario == .dead else { return BenchJob.list }
        let list = "\(BenchJob.list)-\(number)"
        try await fleet.upload(devices, as: list, seed: UInt64(number))
        return list
    }

    private func table(_ rounds: [Round]) -> TextTable {
        var table = TextTable([
            ("round", .left), ("without", .right), ("with", .right), ("ratio", .right), ("cpu without", .right),
            ("with", .right), ("far cpu without", .right), ("with", .right),
        ])
        for (index, round) in rounds.enumerated() {
            func decimal(_ value: Double) -> String { BenchNumber.text(value, digits: 2) }
            func whole(_ value: Double) -> String { NumberText.grouped(Int(value)) }
            table.add([
                "\(index + 1)", whole(round.clear.rate), whole(round.trouble.rate),
                decimal(round.trouble.rate / round.clear.rate), decimal(round.clear.microseconds),
                decimal(round.trouble.microseconds), decimal(round.clear.benchRun.peerMicroseconds),
                decimal(round.trouble.benchRun.peerMicroseconds),
            ])
        }
        return table
    }

    private func metrics(_ rounds: [Round], _ counts: Peer.Counts, devices: Int) -> [BenchMetric] {
        func median(_ value: (Round) -> Double) -> Double { BenchNumber.median(rounds.map(value)) }
        let rates = [
            BenchMetric("rate_without", "devices a second without", median(\.clear.rate), digits: 0),
            BenchMetric("rate", "devices a second with it", median(\.trouble.rate), digits: 0),
        ]
        let ratio = median { $0.trouble.rate / $0.clear.rate }
        func share(_ least: Double) -> BenchMetric {
            BenchMetric("rate_ratio", "share of the rate without", ratio, target: .atLeast(least))
        }
        let accepted = rounds.reduce(0) { $0 + $1.trouble.outcomes.accepted }
        switch scenario {
        case .latency:
            let connections = Double(counts.connections) / Double(rounds.count)
            let cold = median { ($0.cold ?? $0.trouble).rate / $0.clear.rate }
            return rates + [
                share(0.8),
                BenchMetric("rate_ratio_cold", "the same for the campaign before, which opens the connections", cold),
                BenchMetric("connections", "connections opened by a worker", connections, digits: 1),
            ]
        case .dead:
            let invalid = rounds.reduce(0) { $0 + $1.trouble.outcomes.invalid }
            return rates + [
                share(0.9),
                BenchMetric("dead", "devices answered 410", Double(counts.dead), digits: 0),
                BenchMetric(
                    "miscounted",
                    "of these not invalid in the ledger",
                    Double(abs(counts.dead - invalid)),
                    digits: 0,
                    target: .atMost(0)
                ),
            ]
        case .goaway:
            let ended = rounds.reduce(0) { $0 + $1.trouble.outcomes.total }
            let lost = rounds.count * devices - ended + max(0, accepted - counts.answered)
            return rates + [
                share(0.9), BenchMetric("goaways", "GOAWAYs", Double(counts.goAways), digits: 0),
                BenchMetric("lost", "devices lost", Double(lost), digits: 0, target: .atMost(0)),
                BenchMetric(
                    "repeated",
                    "requests answered twice",
                    Double(max(0, counts.answered - accepted)),
                    digits: 0,
                    target: .atMost(0)
                ),
                BenchMetric("unprocessed", "requests known as unprocessed", Double(counts.ignored), digits: 0),
            ]
        default: return rates + retryMetrics(rounds, counts)
        }
    }

    private func retryMetrics(_ rounds: [Round], _ counts: Peer.Counts) -> [BenchMetric] {
        func median(_ value: (Round) -> Double) -> Double { BenchNumber.median(rounds.map(value)) }
        let attempts = rounds.reduce(0) { $0 + $1.trouble.attempts }
        let shares = rounds.compactMap { round in round.transport.map { CPUShares(round.trouble, transport: $0) } }
        return [
            BenchMetric("cpu_without_us", "CPU for a device without", median(\.clear.microseconds), unit: "µs"),
            BenchMetric("cpu_us", "CPU for a device with it", median(\.trouble.microseconds), unit: "µs"),
        ] + CPUShares.metrics(shares) + [
            BenchMetric(
                "miscounted",
                "requests that ledger and peer count differently",
                Double(abs(attempts - counts.answered)),
                digits: 0,
                target: .atMost(0)
            )
        ]
    }

    private func notes(_ rounds: [Round]) -> [String] {
        var notes: [String] = []
        if rounds.contains(where: { $0.clear.wasCut || $0.trouble.wasCut }) {
            notes.append("a campaign took too long and was cancelled; its rate is that of what was sent")
        }
        if rounds.contains(where: { $0.clear.benchRun.isRefused || $0.trouble.benchRun.isRefused }) {
            notes.append("in some campaign the peer used more CPU than the worker: it may have been the slower")
        }
        return notes
    }
}
