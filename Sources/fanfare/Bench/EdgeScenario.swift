import Campaigns
import Delivery
import Fleet
import Foundation
import Store

/// A rush of opens at the device edge: none lost, how long a phone waits, and whether sending keeps its rate meanwhile.
struct EdgeScenario: Sendable {
    let stage: BenchStage

    /// The rush lasts for so long, whatever its size (issue 8).
    private static let seconds = 60
    /// Connections of the phones: enough that hardly any phone waits for the answer to another one.
    private static let connections = 2_048
    /// A phone waits for so long, in milliseconds, 99 times of 100.
    private static let waitMax = 50.0
    /// Of the machine's full rate, so much is sent meanwhile.
    private static let share = 0.4
    /// The rate is kept when so much of it is sent in the whole rush.
    private static let kept = 0.97

    /// What came of one rush.
    private struct Rush {
        let report: EdgeLoad.Report
        let counted: Int
        /// From the last answer until the ledger had the last open.
        let written: Double
        let serverCPU: Double
        let workerCPU: Double
    }

    func run() async throws -> BenchResult {
        let opens = stage.devices(.edge)
        let fleet = try await BenchFleet(.edge, stage)
        let far = try await FarSide.start("far-edge", below: fleet.folder.path, stage)
        stage.say("registering \(NumberText.grouped(opens)) devices")
        let phones = try await EdgePhones.register(opens, app: BenchJob.app, in: fleet.ledger)
        let integrationKeys = try await fleet.writeIntegrationKeys()
        try await fleet.start(1, BenchFleet.Crew(integrationKeys: integrationKeys), to: [BenchJob.app: far])
        let server = try await startServer(fleet)
        try await fleet.upload(2_000, as: "few")
        // Both ahead: beside a campaign that fills the lane's window, one without a rate would wait for its end.
        let (first, second) = (try await pushed(fleet), try await pushed(fleet))
        stage.say("\(NumberText.grouped(opens)) opens in \(Self.seconds) s, nothing is sent meanwhile")
        let alone = try await rush(opens, of: first, phones, fleet, server)
        say(alone.rush, opens)
        stage.say("measuring the machine's full rate")
        try await fleet.upload(opens, as: "full")
        let full = try await fleet.send(opens, to: "full", far: far)
        let perSecond = max(1_000, Int(full.rate * Self.share))
        try await fleet.upload(perSecond * (Self.seconds + 15), as: "many")
        stage.say("the same, with \(NumberText.grouped(perSecond)) pushes a second meanwhile")
        let job = try await fleet.begin(list: "many", perSecond: perSecond)
        try await accepted(perSecond * 3, job, fleet)
        let before = (try await accepted(job, fleet), ContinuousClock.now)
        let busy = try await rush(opens, of: second, phones, fleet, server) { [rushed = Self.seconds] start in
            // Measured for the time in which phones come, not until the ledger has their last word.
            try await Task.sleep(until: start + .seconds(rushed))
            return (try await accepted(job, fleet), ContinuousClock.now)
        }
        let after = busy.sent ?? before
        let sent = Double(after.0 - before.0) / ((after.1 - before.1) / .seconds(1))
        _ = try await fleet.cancel(job)
        await stage.processes.stop("server")
        try await fleet.close()
        await stage.processes.stop(far.name)
        return BenchResult(
            scenario: .edge,
            subject: "\(NumberText.grouped(opens)) opens in \(Self.seconds) s over \(Self.connections) connections",
            figures: figures("alone", "nothing sent", alone.rush, opens)
                + figures("sending", "sending at 40 %", busy.rush, opens) + [
                    BenchFigure("full_rate", "pushes a second at full rate", full.rate, digits: 0),
                    BenchFigure(
                        "sent_ratio",
                        "rate kept meanwhile, of \(NumberText.grouped(perSecond)) a second",
                        sent / Double(perSecond),
                        target: .atLeast(Self.kept)
                    ),
                ]
        )
    }

    /// What came of a rush, long before the bench is over.
    private func say(_ rush: Rush, _ opens: Int) {
        let wait = rush.report.percentile(0.99).map { String(format: "%.1f", $0) } ?? "?"
        let cpu = String(format: "%.1f", rush.serverCPU * 1e6 / Double(opens))
        stage.say("99 of 100 phones waited at most \(wait) ms, the server took \(cpu) µs of CPU for each")
    }

    private func figures(_ name: String, _ label: String, _ rush: Rush, _ opens: Int) -> [BenchFigure] {
        let refused = rush.report.statuses.filter { $0.key != 202 }.values.reduce(0, +) + rush.report.unanswered
        return [
            BenchFigure(
                "lost_\(name)",
                "opens lost, \(label)",
                Double(opens - rush.counted),
                digits: 0,
                target: .atMost(0)
            ),
            BenchFigure("refused_\(name)", "opens not answered 202", Double(refused), digits: 0, target: .atMost(0)),
            BenchFigure("p50_\(name)", "a phone waits, median", rush.report.percentile(0.5), unit: "ms"),
            BenchFigure(
                "p99_\(name)",
                "99 of 100 phones wait at most",
                rush.report.percentile(0.99),
                unit: "ms",
                target: .atMost(Self.waitMax)
            ),
            BenchFigure("max_\(name)", "the longest wait", rush.report.percentile(1), unit: "ms"),
            BenchFigure(
                "server_us_\(name)",
                "CPU of the server for an open",
                rush.serverCPU * 1e6 / Double(opens),
                unit: "µs"
            ),
            BenchFigure(
                "worker_us_\(name)",
                "CPU of the worker in that time, per open",
                rush.workerCPU * 1e6 / Double(opens),
                unit: "µs"
            ),
            BenchFigure("written_\(name)", "until the ledger had the last one", rush.written, unit: "s"),
        ]
    }

    // MARK: A rush

    private struct Server {
        let process: Int32
        let port: Int
    }

    private typealias Sent = (Int, ContinuousClock.Instant)

    private func startServer(_ fleet: BenchFleet) async throws -> Server {
        let arguments = ["server", "--listen", "127.0.0.1:0", "--config", fleet.folder.configuration]
        let variables = ["FANFARE_APPS_FILE": "\(fleet.folder.path)/apps-0.yaml", "FANFARE_LOG_LEVEL": "info"]
        // Where it likes: server, worker, broker and phones share all cores, as on one small machine.
        let command = try ChildProcesses.fanfare(arguments)
        let process = try await stage.processes.start("server", command, variables: variables)
        return Server(process: process, port: try await stage.processes.listeningPort(of: "server"))
    }

    private func rush(
        _ opens: Int,
        of number: UInt32,
        _ phones: EdgePhones,
        _ fleet: BenchFleet,
        _ server: Server,
        meanwhile: (@Sendable (ContinuousClock.Instant) async throws -> Sent)? = nil
    ) async throws -> (rush: Rush, sent: Sent?) {
        let keys = try await fleet.messageKeys()
        let request = phones.opens(of: number, app: BenchJob.app, keys: keys)
        let cpu = (ProcessFigures.cpuSeconds(of: server.process) ?? 0, await fleet.cpuSeconds)
        let start = ContinuousClock.now
        async let sent = meanwhile?(start)
        let report = try await EdgeLoad.run(
            port: server.port,
            connections: Self.connections,
            total: opens,
            perSecond: max(1, opens / Self.seconds),
            request: request
        )
        let answered = ContinuousClock.now
        let counted = try await written(opens, number, fleet)
        let written = (ContinuousClock.now - answered) / .seconds(1)
        let rush = Rush(
            report: report,
            counted: counted,
            written: written,
            serverCPU: (ProcessFigures.cpuSeconds(of: server.process) ?? 0) - cpu.0,
            workerCPU: await fleet.cpuSeconds - cpu.1
        )
        return (rush, try await sent)
    }

    /// The number of a campaign whose pushes are out.
    private func pushed(_ fleet: BenchFleet) async throws -> UInt32 {
        let job = try await fleet.begin(list: "few")
        try await over(job, fleet)
        let (app, id) = (job.job.app, job.job.id)
        guard let number = try await fleet.ledger.read({ try $0.campaignNumber(app: app, id: id) }) else {
            throw CommandFailure(.failed, "the bench's campaign is gone")
        }
        return number
    }

    /// Opens in the ledger, when they are all there or no more come.
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
