import Campaigns
import Delivery
import Fleet
import NIOPosix
import Store
import Transport

/// A whole worker: campaigns and shards from RabbitMQ, requests, the ledger, settling.
struct SendingScenario: Sendable {
    let broker: Configuration
    let devices: Int
    let pairs: Int
    let folder: DemoFolder
    let cores: BenchCores
    let processes: BenchProcesses

    private static let deadline = Duration.seconds(600)

    /// The worker and the ledger's progress at one moment.
    private struct Sample {
        let accepted: Int
        let cpu: Double
        let far: Double
        let instant: ContinuousClock.Instant
    }

    /// Runs all pairs; `say` is told how far it is.
    func run(_ say: @Sendable (String) -> Void) async throws -> BenchReport {
        _ = try BenchTools.h2load()
        try await checkBroker()
        let far = try await FarSide.start(folder: folder.simulator, processes)
        try writeConfiguration()
        let option = ["--config", folder.configuration]
        _ = try await processes.run("topology", fanfare: ["topology", "apply"] + option, on: .far)
        let ledger = try openLedger()
        say("uploading \(NumberText.grouped(devices)) devices")
        try await upload(to: ledger)
        let worker = try await processes.start("worker", fanfare: ["worker"] + option, on: .sender)
        try await waitForWorker(ledger)
        let producer = try await CampaignProducer.connect(broker.amqp, on: MultiThreadedEventLoopGroup.singleton.next())
        let request = try BenchJob(number: 0, now: CommandClock.now()).request(endpoint: far.endpoint)
        let generator = try await LoadGenerator(request, folder: folder.path, far: far, processes: processes)
        var done: [BenchPair] = []
        for number in 1...pairs {
            say("pair \(number) of \(pairs)")
            let job = try BenchJob(number: number, now: CommandClock.now())
            try await job.publish(producer)
            let fanfare = try await follow(job.job.id, ledger, worker: worker, far: far)
            let h2load = try await generator.run(requests: devices, distinctPaths: false)
            let paths = try await generator.run(requests: devices, distinctPaths: true)
            let peak = ProcessFigures.residentPeak(of: worker)
            done.append(BenchPair(fanfare: fanfare, h2load: h2load, h2loadPaths: paths, residentPeak: peak))
        }
        await producer.close()
        await ledger.close()
        let subject =
            "a worker with all roles, \(NumberText.grouped(devices)) devices a campaign, "
            + "body of \(request.body.count) bytes"
        return BenchReport(subject: subject, target: 0.8, cores: cores.text, pairs: done)
    }

    // MARK: Starting

    /// Nobody else may take the bench's campaigns, nor the bench's worker theirs.
    private func checkBroker() async throws {
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let client: AMQPClient
        do throws(AMQPConnectError) {
            client = try await AMQPClient.connect(broker.amqp, name: "fanfare bench", on: loop)
        } catch {
            throw CommandFailure(error)
        }
        let lane = Lane(provider: .apns, urgency: .bulk)
        for queue in TopologyManifest.fanfare(lanes: [lane]).queues where queue.name != BrokerNames.parkedQueue {
            guard let counts = try await client.counts(of: queue.name) else { continue }
            guard counts.consumers == 0, counts.ready == 0 else {
                throw CommandFailure(
                    .usage,
                    "the broker \(broker.amqp) is in use (\(queue.name)): give the bench a virtual host of its own "
                        + "(FANFARE_AMQP_URL), or run Deploy/bench.sh"
                )
            }
        }
        await client.close()
    }

    private func writeConfiguration() throws {
        func setting(_ name: String) -> String? { broker.settings.first { $0.key.name == name }?.text }
        try folder.writeConfiguration(broker: setting("amqp.url") ?? "", management: setting("amqp.management_url"))
    }

    private func openLedger() throws -> Ledger {
        do throws(LedgerError) {
            return try Ledger.open(path: folder.ledger, create: true)
        } catch {
            throw CommandFailure(error)
        }
    }

    private func upload(to ledger: Ledger) async throws {
        let upload = try ListUpload(app: BenchJob.app, name: BenchJob.list, to: ledger)
        var tokens = BenchTokens()
        var left = devices
        while left > 0 {
            let count = min(left, 8_192)
            try await upload.add((0..<count).map { _ in Device(token: tokens.next()) })
            left -= count
        }
        _ = try await upload.finish()
    }

    /// A worker is up when it has entered itself into the ledger with the app.
    private func waitForWorker(_ ledger: Ledger) async throws {
        for _ in 0..<600 {
            try await processes.check()
            let workers = try await ledger.read { try $0.liveWorkers(now: CommandClock.now()) }
            if workers.contains(where: { $0.apps.contains(BenchJob.app) }) { return }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CommandFailure(.failed, "the worker was not up within 30 s; its log is in \(folder.path)")
    }

    // MARK: Measuring

    /// Follows a campaign to its end; the figures are those between a tenth and nine tenths of the devices.
    private func follow(_ id: String, _ ledger: Ledger, worker: Int32, far: FarSide) async throws -> BenchRun {
        let end = ContinuousClock.now + Self.deadline
        var (first, last) = (Sample?.none, Sample?.none)
        while ContinuousClock.now < end {
            let status = try await ledger.read { try $0.status(app: BenchJob.app, id: id, now: CommandClock.now()) }
            let accepted = status?.counts.accepted ?? 0
            if first == nil, accepted * 10 >= devices { first = try sample(accepted, worker, far) }
            if accepted * 10 <= devices * 9, first != nil { last = try sample(accepted, worker, far) }
            if let status, !status.stage.isLive {
                guard accepted == devices else {
                    throw CommandFailure(.failed, "\(id) is \(status.state) with \(accepted) of \(devices) accepted")
                }
                return try Self.run(from: first, to: last)
            }
            try await processes.check()
            try await Task.sleep(for: .milliseconds(50))
        }
        throw CommandFailure(.failed, "\(id) was not done within 10 min; the worker's log is in \(folder.path)")
    }

    private func sample(_ accepted: Int, _ worker: Int32, _ far: FarSide) throws -> Sample {
        guard let cpu = ProcessFigures.cpuSeconds(of: worker) else {
            throw CommandFailure(.failed, "the worker has ended; its log is in \(folder.path)")
        }
        return Sample(accepted: accepted, cpu: cpu, far: try far.cpuSeconds(), instant: ContinuousClock.now)
    }

    private static func run(from first: Sample?, to last: Sample?) throws -> BenchRun {
        guard let first, let last, last.accepted > first.accepted else {
            throw CommandFailure(.failed, "too few devices to measure: give more with --devices")
        }
        let requests = last.accepted - first.accepted
        return BenchRun(
            requests: requests,
            cpuSeconds: last.cpu - first.cpu,
            rate: Double(requests) / ((last.instant - first.instant) / .seconds(1)),
            farMicroseconds: (last.far - first.far) * 1e6 / Double(requests)
        )
    }
}
