import Campaigns
import Delivery
import Foundation
import Operations
import Store

/// A rush of opens at the device edge: lost opens, the wait of a phone, and the rate of sending meanwhile.
struct EdgeScenario: Sendable {
    let stage: BenchStage

    /// The length of a rush, whatever its size (issue 8).
    private static let seconds = 60
    /// The share of the machine's full rate that is sent meanwhile.
    private static let share = 0.4
    /// The share of that rate that has to be kept over the whole rush.
    private static let kept = 0.97

    private static let alone = EdgeRush.Name(id: "alone", label: "HTTP/2, nothing sent")
    private static let direct = EdgeRush.Name(id: "http1", label: "HTTP/1.1, nothing sent")
    private static let sending = EdgeRush.Name(id: "sending", label: "HTTP/2, sending at 40 %")

    func run() async throws -> BenchResult {
        let opens = stage.devices(.edge)
        let fleet = try await BenchFleet(.edge, stage)
        let peer = try await Peer.start("far-edge", below: fleet.folder.path, stage)
        stage.say("registering \(NumberText.grouped(opens)) devices")
        let phones = try await EdgePhones.register(opens, app: BenchJob.app, in: fleet.ledger)
        let integrationKeys = try await fleet.writeIntegrationKeys()
        try await fleet.start(1, BenchFleet.WorkerSetup(integrationKeys: integrationKeys), to: [BenchJob.app: peer])
        let setup = Setup(opens: opens, fleet: fleet, phones: phones, server: try await startServer(fleet))
        try await fleet.upload(2_000, as: "few")
        // All in advance: beside a campaign that fills the lane's window, one without a rate would wait for its end.
        let campaigns = (try await pushed(fleet), try await pushed(fleet), try await pushed(fleet))
        stage.say("\(NumberText.grouped(opens)) opens in \(Self.seconds) s, nothing is sent meanwhile")
        let alone = try await rush(Self.alone, .http2, of: campaigns.0, setup)
        stage.say("the same over HTTP/1.1, from \(EdgeWire.http1.connections) connections")
        let direct = try await rush(Self.direct, .http1, of: campaigns.1, setup)
        let sending = try await rushWhileSending(of: campaigns.2, setup, peer)
        await stage.processes.stop("server")
        try await fleet.close()
        await stage.processes.stop(peer.name)
        return BenchResult(
            scenario: .edge,
            subject: "\(NumberText.grouped(opens)) opens in \(Self.seconds) s over "
                + "\(EdgeWire.http2.connections) connections of HTTP/2 or \(EdgeWire.http1.connections) of HTTP/1.1",
            metrics: alone.metrics + direct.metrics + sending
        )
    }

    /// Measures a rush beside a campaign at a share of the full rate, and the rate that the campaign kept.
    private func rushWhileSending(of number: UInt32, _ setup: Setup, _ peer: Peer) async throws -> [BenchMetric] {
        let fleet = setup.fleet
        stage.say("measuring the machine's full rate")
        try await fleet.upload(setup.opens, as: "full")
        let full = try await fleet.send(setup.opens, to: "full", peer: peer)
        let perSecond = max(1_000, Int(full.rate * Self.share))
        try await fleet.upload(perSecond * (Self.seconds + 15), as: "many")
        stage.say("over HTTP/2 again, with \(NumberText.grouped(perSecond)) pushes a second meanwhile")
        let job = try await fleet.begin(list: "many", perSecond: perSecond)
        try await accepted(perSecond * 3, job, fleet)
        let (start, before) = (ContinuousClock.now, try await accepted(job, fleet))
        // Measured while phones arrive, not until the ledger has the last open.
        async let after = accepted(job, fleet, at: start + .seconds(Self.seconds))
        let rush = try await rush(Self.sending, .http2, of: number, setup)
        let (end, count) = try await after
        _ = try await fleet.cancel(job)
        let sent = Double(count - before) / ((end - start) / .seconds(1))
        return rush.metrics + [
            BenchMetric("full_rate", "pushes a second at full rate", full.rate, digits: 0),
            BenchMetric(
                "sent_ratio",
                "rate kept meanwhile, of \(NumberText.grouped(perSecond)) a second",
                sent / Double(perSecond),
                target: .atLeast(Self.kept)
            ),
        ]
    }

    // MARK: A rush

    private struct Server {
        let process: Int32
        let port: Int
    }

    /// The common environment of all rushes.
    private struct Setup: Sendable {
        let opens: Int
        let fleet: BenchFleet
        let phones: EdgePhones
        let server: Server
    }

    private func startServer(_ fleet: BenchFleet) async throws -> Server {
        let arguments = ["server", "--listen", "127.0.0.1:0", "--config", fleet.folder.configuration]
        let variables = [
            "FANFARE_APPS_FILE": "\(fleet.folder.path)/apps-0.yaml", "FANFARE_LOG_LEVEL": "info",
            "FANFARE_SERVER_EDGE_LISTEN": "127.0.0.1:0",
        ]
        // Not bound to cores: server, worker, broker and phones share all of them, as on one small machine.
        let command = try ChildProcesses.fanfare(arguments)
        let process = try await stage.processes.start("server", command, variables: variables)
        return Server(process: process, port: try await stage.processes.listeningPort(of: "server", for: .edge))
    }

    private func rush(
        _ name: EdgeRush.Name,
        _ wire: EdgeWire,
        of number: UInt32,
        _ setup: Setup
    ) async throws -> EdgeRush {
        let (opens, fleet, process) = (setup.opens, setup.fleet, setup.server.process)
        let requests = setup.phones.opens(of: number, app: BenchJob.app, keys: try await fleet.messageKeys())
        let schedule = EdgeSchedule(total: opens, perSecond: max(1, opens / Self.seconds))
        let cpu = (ProcessMetrics.cpuSeconds(of: process) ?? 0, await fleet.cpuSeconds)
        let report = try await EdgeLoad.run(
            EdgeLoad.Plan(wire: wire, port: setup.server.port, schedule: schedule, opens: requests)
        )
        let answered = ContinuousClock.now
        let counted = try await written(opens, number, fleet)
        let rush = EdgeRush(
            name: name,
            opens: opens,
            report: report,
            counted: counted,
            written: (ContinuousClock.now - answered) / .seconds(1),
            serverCPU: (ProcessMetrics.cpuSeconds(of: process) ?? 0) - cpu.0,
            workerCPU: await fleet.cpuSeconds - cpu.1
        )
        stage.say(rush.line)
        return rush
    }

    /// Sends a campaign and returns its number.
    private func pushed(_ fleet: BenchFleet) async throws -> UInt32 {
        let job = try await fleet.begin(list: "few")
        try await over(job, fleet)
        let (app, id) = (job.job.app, job.job.id)
        guard let number = try await fleet.ledger.read({ try $0.campaignNumber(app: app, id: id) }) else {
            throw CommandFailure(.failed, "the bench's campaign is gone")
        }
        return number
    }

    /// Returns the opens in the ledger, once all are there or after a minute.
    private func written(_ opens: Int, _ campaign: UInt32, _ fleet: BenchFleet) async throws -> Int {
        var counted = 0
        for _ in 0..<1_200 {
            counted = try await fleet.ledger.read { try $0.funnel(campaign: campaign) }[.system, .opened]
            if counted >= opens { break }
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(50))
        }
        return counted
    }

    private func accepted(_ job: BenchJob, _ fleet: BenchFleet) async throws -> Int {
        try await fleet.status(of: job)?.counts.accepted ?? 0
    }

    /// Returns the accepted devices at a future instant, and the time when they were read.
    private func accepted(
        _ job: BenchJob,
        _ fleet: BenchFleet,
        at instant: ContinuousClock.Instant
    ) async throws -> (ContinuousClock.Instant, Int) {
        try await Task.sleep(until: instant)
        let asked = ContinuousClock.now
        return (asked, try await accepted(job, fleet))
    }

    private func accepted(_ count: Int, _ job: BenchJob, _ fleet: BenchFleet) async throws {
        for _ in 0..<600 {
            if try await accepted(job, fleet) >= count { return }
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(100))
        }
        throw CommandFailure(.failed, "\(job.job.id) is not sent; the logs are in \(stage.folder.path)")
    }

    private func over(_ job: BenchJob, _ fleet: BenchFleet) async throws {
        for _ in 0..<600 {
            if let status = try await fleet.status(of: job), !status.stage.isLive { return }
            try await stage.processes.check()
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CommandFailure(.failed, "\(job.job.id) does not end; the logs are in \(stage.folder.path)")
    }
}
