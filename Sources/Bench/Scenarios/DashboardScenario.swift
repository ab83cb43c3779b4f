import Campaigns
import Foundation
import NIOPosix
import Operations
import Transport

/// The cost of open dashboards to the fleet.
struct DashboardScenario: Sendable {
    let stage: BenchStage

    /// The CPU, as a multiple of that for the same campaign without a dashboard (issue 7).
    static let target = 1.05
    private static let browsers = 3
    private static let browser = "/usr/bin/chromium"

    /// CPU of workers and server for a whole campaign.
    private struct Measurement {
        let run: CampaignRun
        let serverSeconds: Double
        let devices: Int

        var microseconds: Double { (run.wholeCPU.reduce(0, +) + serverSeconds) * 1e6 / Double(devices) }

        var json: JSONValue {
            .object(["cpu_us": .decimal(microseconds), "server_seconds": .decimal(serverSeconds), "campaign": run.json])
        }
    }

    /// Sends to one list with a server beside the worker, alternately without and with three browsers.
    func run() async throws -> BenchResult {
        guard FileManager.default.isExecutableFile(atPath: Self.browser) else {
            throw CommandFailure(.failed, "there is no \(Self.browser): apt-get install chromium")
        }
        let (devices, rounds) = (stage.devices(.dashboard), stage.rounds(.dashboard))
        let fleet = try await BenchFleet(.dashboard, stage)
        let peer = try await Peer.start("far-dashboard", below: fleet.folder.path, stage)
        try await fleet.upload(devices)
        try await fleet.start(to: [BenchJob.app: peer])
        let server = try await start(fleet)
        var pairs: [(alone: Measurement, watched: Measurement)] = []
        for number in 1...rounds {
            stage.say("round \(number) of \(rounds)")
            let alone = try await measure(fleet, peer, server, devices)
            try await open(server, fleet)
            let watched = try await measure(fleet, peer, server, devices)
            for browser in 1...Self.browsers { await stage.processes.stop("browser-\(browser)") }
            try await wait(for: 0, server)
            pairs.append((alone, watched))
        }
        await stage.processes.stop("server")
        try await fleet.close()
        await stage.processes.stop(peer.name)
        return result(pairs, devices)
    }

    private func result(_ pairs: [(alone: Measurement, watched: Measurement)], _ devices: Int) -> BenchResult {
        func median(_ value: ((alone: Measurement, watched: Measurement)) -> Double) -> Double {
            BenchNumber.median(pairs.map(value))
        }
        return BenchResult(
            scenario: .dashboard,
            subject:
                "one worker and the server, \(NumberText.grouped(devices)) devices, nobody or \(Self.browsers) Chromiums "
                + "on the dashboard",
            runs: nil,
            metrics: [
                BenchMetric(
                    "alone_us",
                    "CPU of both for a device, nobody looks",
                    median(\.alone.microseconds),
                    unit: "µs"
                ),
                BenchMetric(
                    "watched_us",
                    "CPU of both for a device, watched",
                    median(\.watched.microseconds),
                    unit: "µs"
                ),
                BenchMetric(
                    "cpu_ratio",
                    "that as a multiple of nobody looking",
                    median { $0.watched.microseconds / $0.alone.microseconds },
                    target: .atMost(Self.target)
                ),
            ],
            details: pairs.map { .object(["alone": $0.alone.json, "watched": $0.watched.json]) }
        )
    }

    private func measure(
        _ fleet: BenchFleet,
        _ peer: Peer,
        _ server: Server,
        _ devices: Int
    ) async throws -> Measurement {
        let before = ProcessMetrics.cpuSeconds(of: server.process) ?? 0
        let run = try await fleet.send(devices, peer: peer)
        let after = ProcessMetrics.cpuSeconds(of: server.process) ?? 0
        return Measurement(run: run, serverSeconds: after - before, devices: devices)
    }

    // MARK: Server and browsers

    private struct Server {
        let process: Int32
        let client: HTTP1Client
        let port: Int
    }

    private func start(_ fleet: BenchFleet) async throws -> Server {
        let arguments = ["server", "--listen", "127.0.0.1:0", "--config", fleet.folder.configuration]
        let process = try await stage.processes.start("server", stage.fanfare(arguments, on: .peer))
        let port = try await stage.processes.listeningPort(of: "server")
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        return Server(process: process, client: HTTP1Client(host: "127.0.0.1", port: port, loop: loop), port: port)
    }

    /// Opens the dashboard in separate browsers; returns when each receives events.
    private func open(_ server: Server, _ fleet: BenchFleet) async throws {
        for number in 1...Self.browsers {
            let arguments =
                [
                    Self.browser, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
                    "--remote-debugging-port=0", "--user-data-dir=\(fleet.folder.path)/browser-\(number)",
                    "http://127.0.0.1:\(server.port)/",
                ]
            // The browser's socket path is limited to 107 bytes.
            let command = stage.cores.command(arguments, on: .peer)
            try await stage.processes.start("browser-\(number)", command, variables: ["TMPDIR": "/tmp"])
        }
        try await wait(for: Self.browsers, server)
    }

    /// Waits until the server has so many listeners to its events.
    private func wait(for listeners: Int, _ server: Server) async throws {
        for _ in 0..<300 {
            try await stage.processes.check()
            let page = try await server.client.send("GET", "/metrics")
            let text = String(decoding: page.body, as: UTF8.self)
            if text.contains("\nfanfare_http_streams \(listeners)\n") { return }
            try await Task.sleep(for: .milliseconds(100))
        }
        throw CommandFailure(.failed, "the server did not come to \(listeners) listeners within 30 s")
    }
}
