import Bench
import Campaigns
import Delivery
import Foundation
import NIOCore
import NIOPosix
import Operations
import Settings
import Store
import Transport

/// The demo, step by step; the owner of `fleet` stops what it starts.
struct Demo: Sendable {
    let broker: Configuration
    let devices: DemoDevices
    let folder: RunFolder
    let fleet: ChildProcesses

    private static let workers = 2
    /// The simulator's faults: shares of the tokens, decided by the token alone.
    private static let shares = ["dead=0.02", "once_503=0.05", "unavailable=0.01"]
    /// The time after the campaign's expiry for its last device to end.
    private static let grace = Duration.seconds(30)

    /// The campaign's time in seconds: two minutes, more for audiences that take longer.
    private var ttl: Int { max(120, devices.count / 1000) }
    /// A `Retry-After` in seconds, beyond the campaign's end.
    private var retryAfter: Int { max(3600, 2 * ttl) }

    /// Runs the demo; `isQuiet` suppresses its progress.
    func run(isQuiet: Bool) async throws -> DemoReport {
        let say: @Sendable (String) -> Void = { if !isQuiet { Terminal.write($0 + "\n") } }
        let client = try await DemoBroker.connect(broker)
        try folder.writeConfiguration(broker)
        let option = ["--config", folder.configuration]
        say("broker \(broker.amqp), everything else in \(folder.path)\n")

        let control = try await startSimulator(say)
        let apply = ["topology", "apply"] + option
        say("$ " + ChildProcesses.line(apply))
        say(try await fleet.run("topology", ChildProcesses.fanfare(apply)))

        let ledger = try Self.open(folder.ledger)
        for number in 1...Self.workers {
            let worker = ["worker"] + option
            say("$ \(ChildProcesses.line(worker)) &")
            try await fleet.start("worker-\(number)", ChildProcesses.fanfare(worker))
        }
        try await waitForWorkers(ledger)
        say("\(Self.workers) workers are up\n")
        try await startServer(option, say)

        try await devices.write(to: folder.audience, control: control)
        let put = ["list", "put", DemoJob.list, folder.audience, "--app", DemoJob.app] + option
        say("$ " + ChildProcesses.line(put))
        say(try await fleet.run("list", ChildProcesses.fanfare(put)))

        let job = DemoJob(ttl: ttl, createdAt: WallClock.now().asRead)
        say("published on exchange \(BrokerNames.campaigns), routing key \(DemoJob.app), with confirm and mandatory:")
        say(job.text + "\n")
        try await job.publish(client)
        await client.close()

        let (view, rate) = try await follow(ledger, isQuiet: isQuiet)
        let comparison = try await compare(ledger, control)
        await ledger.close()
        return DemoReport(view: view, rate: rate, comparison: comparison, now: ledger.now())
    }

    // MARK: Starting

    private static func open(_ path: String) throws -> Ledger {
        do throws(LedgerError) {
            return try Ledger.open(path: path, create: true)
        } catch {
            throw CommandFailure(error)
        }
    }

    /// Starts the simulator on free ports and returns a client for its control address.
    private func startSimulator(_ say: (String) -> Void) async throws -> HTTP1Client {
        let faults = (Self.shares + ["retry_after=\(retryAfter)"]).flatMap { ["--fault", $0] }
        let arguments = ["simulator", "--json", "--folder", folder.simulator] + devices.mix.options + faults
        say("$ \(ChildProcesses.line(arguments)) &")
        try await fleet.start("simulator", ChildProcesses.fanfare(arguments))
        let line = try await fleet.firstLine(of: "simulator")
        let document = JSONReader.read(Array(line.utf8)).value
        guard let address = document?["control"]?.string, let endpoint = document?["endpoint"]?.string,
            let url = URL(string: address), let host = url.host, let port = url.port
        else { throw CommandFailure(.failed, "the simulator does not print its address: \(line)") }
        say("Apple's push service is played at \(endpoint); what it counts is at \(address)/stats")
        if let endpoint = document?["fcm"]?["endpoint"]?.string { say("FCM is played at \(endpoint)") }
        if let origin = document?["web_push"]?["origin"]?.string { say("Web Push is played at \(origin)") }
        say("")
        return HTTP1Client(
            host: host,
            port: port,
            loop: MultiThreadedEventLoopGroup.singleton.next(),
            timeout: .seconds(300)
        )
    }

    /// Waits until the workers have registered themselves in the ledger with the app.
    private func waitForWorkers(_ ledger: Ledger) async throws {
        for _ in 0..<600 {
            try await fleet.check()
            let workers = try await ledger.read { try $0.liveWorkers(now: ledger.now()) }
            if workers.count(where: { $0.apps.contains(DemoJob.app) }) == Self.workers { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CommandFailure(.failed, "the workers were not up within 30 s; their logs are in \(folder.path)")
    }

    /// Starts the server on a free port and prints the dashboard's address.
    private func startServer(_ option: [String], _ say: (String) -> Void) async throws {
        let server = ["server", "--listen", "127.0.0.1:0"] + option
        say("$ \(ChildProcesses.line(server)) &")
        try await fleet.start("server", ChildProcesses.fanfare(server))
        say("the dashboard is at http://127.0.0.1:\(try await fleet.listeningPort(of: "server"))\n")
    }

    // MARK: Following

    /// Shows the campaign's progress until its last device has an outcome.
    ///
    /// Also returns the rate at which the first nine of ten devices ended: waiting retries would hide it.
    private func follow(_ ledger: Ledger, isQuiet: Bool) async throws -> (CampaignStatusView, rate: Int?) {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(ttl) + Self.grace
        let style = Terminal.progressStyle
        var (report, meter) = (ProgressReport(style: style), RateMeter())
        var (seen, bulkRate) = (CampaignStatusView?.none, Int?.none)
        while clock.now < deadline {
            let now = ledger.now()
            let status = try await ledger.read { try $0.status(app: DemoJob.app, id: DemoJob.id, now: now) }
            if var view = status.map({ CampaignStatusView($0) }) {
                view.note(rate: meter.rate(total: view.outcomes.total, now: now), now: now)
                bulkRate = bulkRate ?? Self.bulkRate(view, now: now)
                if !isQuiet, let text = report.update(view, now: now) { Terminal.write(text) }
                seen = view
                if view.isFinished { break }
            }
            try await fleet.check()
            try await Task.sleep(for: .milliseconds(style == .lines ? 200 : 100))
        }
        if !isQuiet { Terminal.write(report.finish()) }
        guard let seen else {
            throw CommandFailure(.failed, "no worker took the job; their logs are in \(folder.path)")
        }
        return (seen, bulkRate)
    }

    /// Returns the devices a second since the first shard; nil before nine of ten devices have an outcome.
    private static func bulkRate(_ view: CampaignStatusView, now: Timestamp) -> Int? {
        guard let startedAt = view.startedAt, view.outcomes.total * 10 >= view.audience * 9 else { return nil }
        let milliseconds = max(1, (view.completedAt ?? now).milliseconds - startedAt.milliseconds)
        return Int(Int64(view.outcomes.total) * 1000 / milliseconds)
    }

    private func compare(_ ledger: Ledger, _ control: HTTP1Client) async throws -> DemoComparison {
        let number = try await ledger.read { try $0.campaignNumber(app: DemoJob.app, id: DemoJob.id) }
        guard let number else { throw CommandFailure(.failed, "the campaign is gone from the ledger") }
        let providers = devices.mix.kinds.map { ProviderName(rawValue: $0.provider) }
        return try await DemoComparison.make(
            ledger: ledger,
            campaign: number,
            providers: providers,
            control: control
        )
    }
}
