import Campaigns
import Delivery
import Foundation
import NIOCore
import NIOPosix
import Operations
import Settings
import Store
import Transport

/// Workers, their ledger and a producer, for one scenario.
actor BenchFleet {
    /// A campaign slower than this many devices a second is cancelled, and measured by its progress until then.
    private static let slowest = 25_000
    /// The least time that any campaign is given.
    private static let limit = Duration.seconds(60)

    let stage: BenchStage
    let folder: RunFolder
    let ledger: Ledger
    let storage: BenchLedger
    let producer: CampaignProducer
    let broker: Configuration
    private(set) var workers: [(name: String, process: Int32)] = []
    private var campaigns = 0
    var wasCut = false

    /// Creates a ledger in the scenario's own folder, and the topology; `name` tells the scenario's fleets apart.
    init(_ scenario: BenchScenario, _ stage: BenchStage, named name: String? = nil) async throws {
        guard let broker = stage.broker else { preconditionFailure("\(scenario) was started without a broker") }
        try await stage.checkBroker()
        self.stage = stage
        self.broker = broker
        folder = try stage.folder(of: scenario, named: name)
        if let server = stage.server {
            let database = "fanfare_bench_\(ProcessInfo.processInfo.processIdentifier)_\(UInt32.random(in: 0 ... .max))"
            storage = try await BenchLedger(database, on: server, stage)
        } else {
            storage = BenchLedger(file: folder.ledger)
        }
        try folder.writeConfiguration(broker, store: storage.text)
        try folder.writeMessageKey()
        let apply = ["topology", "apply", "--config", folder.configuration]
        _ = try await stage.processes.run("topology", stage.fanfare(apply, on: .peer))
        do throws(LedgerError) {
            ledger = try Ledger.open(storage.location, create: true)
        } catch {
            throw CommandFailure(error)
        }
        producer = try await CampaignProducer.connect(broker.amqp, on: MultiThreadedEventLoopGroup.singleton.next())
    }

    /// - Parameter isPersonal: With a language and three variables each.
    func upload(
        _ devices: Int,
        as list: String = BenchJob.list,
        seed: UInt64 = 0,
        isPersonal: Bool = false,
        of provider: BenchProvider = .apns
    ) async throws {
        stage.say("uploading \(NumberText.grouped(devices)) devices")
        let upload = try ListUpload(app: BenchJob.app, name: list, to: ledger)
        var tokens = MadeUpTokens(seed: seed)
        var left = devices
        while left > 0 {
            let count = min(left, 8_192)
            try await upload.add(
                (0..<count).map { index in
                    guard isPersonal else { return Device(token: provider.token(&tokens), provider: provider.name) }
                    return Device(
                        token: tokens.apns(),
                        locale: BenchJob.locales[index % BenchJob.locales.count],
                        variables: ["first": "Ana María", "team": "Atleti", "points": "\((left + index) % 1000)"]
                    )
                }
            )
            left -= count
        }
        _ = try await upload.finish()
    }

    /// Registers made-up devices of the app, each with two tags, an attribute and a version, over four locales and
    /// three time zones, and indexes them: what a worker would do meanwhile is not the subject.
    func register(_ devices: Int) async throws {
        stage.say("registering \(NumberText.grouped(devices)) devices")
        try await register(0..<devices)
        stage.say("indexing them")
        try await index()
    }

    /// Applies all marks of the registry's index.
    func index() async throws {
        while try await ledger.write(
            .normal,
            { transaction in
                var piece = Piece()
                return try transaction.maintainIndex(&piece)
            }
        ) {}
    }

    /// Registers made-up devices; `levels` is added to their attribute.
    func register(_ devices: Range<Int>, levels: Int = 0) async throws {
        var tokens = MadeUpTokens(seed: 7)
        let (locales, zones) = (
            ["es-ES", "en-GB", "pt-BR", "de"], ["Europe/Madrid", "Europe/London", "America/Sao_Paulo"]
        )
        for start in stride(from: devices.lowerBound, to: devices.upperBound, by: 1000) {
            let batch = (start..<min(start + 1000, devices.upperBound)).map { number in
                DeviceRegistration(
                    device: Device(
                        token: tokens.apns(),
                        id: "bench-device-\(number)",
                        locale: locales[number % 4],
                        timeZone: zones[number % 3]
                    ),
                    tags: .set(["league:laliga", "team:\(number % 20)"]),
                    attributes: ["level": .number(JSONNumber((number + levels) % 100))],
                    permission: .authorized,
                    appVersion: "3.\(number % 9).1"
                )
            }
            _ = try await Registry.register(batch, app: BenchJob.app, in: ledger)
        }
    }

    // MARK: Workers

    /// The settings for starting workers.
    struct WorkerSetup: Sendable {
        /// `worker.roles`; nil for all.
        var roles: String?
        /// The provider of the apps' accounts.
        var provider = BenchProvider.apns
        /// The app's frequency cap.
        var frequencyCap: String?
        /// The file of the app's integration keys; nil for an app without an edge.
        var integrationKeys: String?
        /// Additional environment variables.
        var variables: [String: String] = [:]
    }

    /// Starts workers beside the running ones; they send each app's pushes to its simulator.
    func start(_ count: Int = 1, _ setup: WorkerSetup = WorkerSetup(), to peers: [String: Peer]) async throws {
        let file = "\(folder.path)/apps-\(workers.count).yaml"
        guard FileManager.default.createFile(atPath: file, contents: Data(apps(peers, setup).utf8)) else {
            throw CommandFailure(.failed, "the file \(file) cannot be written")
        }
        let options = setup.roles.map { ["--roles", $0] } ?? []
        let arguments = ["worker", "--config", folder.configuration, "--apps", file] + options
        for _ in 0..<count {
            let name = "worker-\(workers.count + 1)"
            let command = try stage.fanfare(arguments, on: .sender)
            let process = try await stage.processes.start(name, command, variables: setup.variables)
            workers.append((name, process))
        }
        try await waitForWorkers(apps: Set(peers.keys))
    }

    /// Ends all workers.
    func stopWorkers() async {
        for worker in workers.reversed() { await stage.processes.stop(worker.name) }
        workers.removeAll()
    }

    /// Kills one worker with SIGKILL, as a crash would.
    func killWorker() async throws {
        guard let worker = workers.popLast() else { preconditionFailure("no worker runs") }
        await stage.processes.kill(worker.name)
    }

    /// Ends everything but the simulators, and leaves no message in the broker.
    func close() async throws {
        if wasCut, !workers.isEmpty { try await emptyQueues() }
        await stopWorkers()
        await producer.close()
        await ledger.close()
        try await storage.remove(stage)
    }

    /// Returns the text of `apps.yaml`; every push carries a signed message id, as in production.
    private func apps(_ peers: [String: Peer], _ setup: WorkerSetup) -> String {
        let cap = setup.frequencyCap.map { "\n    frequency_cap: \($0)" } ?? ""
        let keys = setup.integrationKeys.map { "\n      integration_keys_file: \($0)" } ?? ""
        return peers.sorted { $0.key < $1.key }.reduce("apps:\n") { text, entry in
            text + """
                  \(entry.key):\(cap)
                \(setup.provider.block(entry.value))
                    edge:
                      message_key_file: \(folder.messageKey)\(keys)

                """
        }
    }

    /// Waits until the workers have registered themselves in the ledger with their apps.
    private func waitForWorkers(apps: Set<String>) async throws {
        for _ in 0..<600 {
            try await stage.processes.check()
            let live = try await ledger.read { [ledger] in try $0.liveWorkers(now: ledger.now()) }
            let names = Set(workers.map { ".\($0.process)" })
            let mine = live.filter { worker in names.contains { worker.name.hasSuffix($0) } }
            if mine.count(where: { apps.isSubset(of: $0.apps) }) == workers.count { return }
            try await Task.sleep(for: .milliseconds(20))
        }
        throw CommandFailure(.failed, "the workers were not up within 12 s; their logs are in \(stage.folder.path)")
    }

    /// Waits until the running workers have consumed the messages of a cancelled campaign from queues and rungs.
    func emptyQueues() async throws {
        for _ in 0..<200 {
            if try await stage.messages(broker) == 0 { return }
            try await Task.sleep(for: .milliseconds(250))
        }
    }

    // MARK: Campaigns

    /// Publishes a campaign to a list, follows it to its end, and measures its steady state.
    func send(
        _ devices: Int,
        to list: String = BenchJob.list,
        maxAttempts: Int = 8,
        isPersonal: Bool = false,
        counted: BenchJob.Counted = .none,
        peer: Peer
    ) async throws
        -> CampaignRun
    {
        let job = try nextJob(list: list, maxAttempts: maxAttempts, isPersonal: isPersonal, counted: counted)
        return try await send(devices, job, peer: peer)
    }

    /// Sends a campaign to a segment of the registry and measures its steady state.
    func send(
        _ devices: Int,
        toSegment segment: String,
        counted: BenchJob.Counted = .none,
        peer: Peer
    ) async throws -> CampaignRun {
        let audience: JSONValue = ["segment": .string(segment)]
        let job = try BenchJob(number: nextNumber(), to: audience, counted: counted, now: WallClock.now().asRead)
        return try await send(devices, job, peer: peer)
    }

    /// Publishes a campaign, follows it to its end, and measures its steady state.
    func send(_ devices: Int, _ job: BenchJob, peer: Peer) async throws -> CampaignRun {
        var track = CampaignTrack(devices: devices)
        track.add(try sample(done: 0, peer: peer, since: .now))
        let start = ContinuousClock.now
        try await job.publish(producer)
        // A status is counted from the campaign's rows, so a large campaign is polled less often.
        let pause = Duration.milliseconds(devices > 4_000_000 ? 250 : 50)
        let limit = max(Self.limit, .seconds(devices / Self.slowest))
        var isCut = false
        while true {
            if let status = try await status(of: job) {
                let counts = status.counts
                let done = counts.accepted + counts.invalid + counts.failed
                if !isCut { track.add(try sample(done: done, peer: peer, since: start)) }
                if !status.stage.isLive, status.pending.total == 0 {
                    return try run(track, status, isCut)
                }
            }
            let waited = ContinuousClock.now - start
            if !isCut, waited > limit {
                stage.say("\(job.job.id) takes longer than \(limit): cancelled")
                try await cancel(job)
                (isCut, wasCut) = (true, true)
            }
            guard waited < limit * 2 else {
                throw CommandFailure(.failed, "\(job.job.id) does not end; the logs are in \(stage.folder.path)")
            }
            try await stage.processes.check()
            try await Task.sleep(for: pause)
        }
    }

    /// Sends with new workers, which are stopped afterwards.
    func sendWithNewWorkers(_ count: Int, _ devices: Int, peer: Peer) async throws -> CampaignRun {
        try await start(count, to: [BenchJob.app: peer])
        let run = try await send(devices, peer: peer)
        await stopWorkers()
        return run
    }

    /// Returns the next urgent campaign, to the channel or to a device of its own; not published yet.
    func urgentJob(to receiver: BenchJob.Receiver = .device) throws -> BenchJob {
        campaigns += 1
        if receiver == .channel { return try BenchJob(goal: "goal-\(campaigns)", now: WallClock.now().asRead) }
        var tokens = MadeUpTokens(seed: UInt64(1_000_000 + campaigns))
        return try BenchJob(urgent: "urgent-\(campaigns)", token: tokens.apns(), now: WallClock.now().asRead)
    }

    /// Publishes a campaign and returns at once.
    func begin(
        list: String = BenchJob.list,
        maxAttempts: Int = 8,
        perSecond: Int? = nil,
        isHeld: Bool = false
    ) async throws -> BenchJob {
        let job = try nextJob(list: list, maxAttempts: maxAttempts, perSecond: perSecond, isHeld: isHeld)
        try await job.publish(producer)
        return job
    }

    /// Publishes a campaign to a segment of the registry and returns at once.
    func begin(toSegment segment: String) async throws -> BenchJob {
        let job = try BenchJob(number: nextNumber(), to: ["segment": .string(segment)], now: WallClock.now().asRead)
        try await job.publish(producer)
        return job
    }

    /// Returns the number of the next campaign.
    func nextNumber() -> Int {
        campaigns += 1
        return campaigns
    }

    /// Returns a campaign's status; nil until intake has it.
    func status(of job: BenchJob) async throws -> CampaignStatus? {
        let (app, id) = (job.job.app, job.job.id)
        return try await ledger.read { [ledger] in try $0.status(app: app, id: id, now: ledger.now()) }
    }

    private func nextJob(
        list: String,
        maxAttempts: Int,
        perSecond: Int? = nil,
        isPersonal: Bool = false,
        isHeld: Bool = false,
        counted: BenchJob.Counted = .none
    ) throws -> BenchJob {
        try BenchJob(
            number: nextNumber(),
            to: ["list": .string(list)],
            maxAttempts: maxAttempts,
            perSecond: perSecond,
            isPersonal: isPersonal,
            isHeld: isHeld,
            counted: counted,
            now: WallClock.now().asRead
        )
    }

    private func sample(
        done: Int,
        peer: Peer,
        since start: ContinuousClock.Instant
    ) throws -> CampaignSample {
        let cpu = workers.compactMap { ProcessMetrics.cpuSeconds(of: $0.process) }
        guard cpu.count == workers.count else {
            throw CommandFailure(.failed, "a worker has ended; its log is in \(stage.folder.path)")
        }
        return CampaignSample(
            done: done,
            cpu: cpu,
            threads: workers.reduce(ThreadMetrics()) { $0 + ThreadMetrics(of: $1.process) },
            peer: try peer.cpuSeconds(),
            seconds: (ContinuousClock.now - start) / .seconds(1),
            resident: workers.compactMap { ProcessMetrics.resident(of: $0.process) }.max() ?? 0
        )
    }

    private func run(_ track: CampaignTrack, _ status: CampaignStatus, _ isCut: Bool) throws -> CampaignRun {
        guard let (first, last) = track.window, let (start, end) = track.whole, status.law == .holds,
            isCut || status.stage == .completed
        else {
            throw CommandFailure(.failed, "\(status.id) is \(status.state), \(status.counts) of \(status.audience)")
        }
        return CampaignRun(
            devices: last.done - first.done,
            seconds: last.seconds - first.seconds,
            cpu: zip(last.cpu, first.cpu).map { $0 - $1 },
            wholeCPU: zip(end.cpu, start.cpu).map { $0 - $1 },
            threads: last.threads - first.threads,
            peerSeconds: last.peer - first.peer,
            attempts: status.attempts,
            outcomes: status.counts,
            wasCut: isCut,
            residentPeak: workers.compactMap { ProcessMetrics.residentPeak(of: $0.process) }.max() ?? 0,
            residentGrowth: Double(last.resident) / Double(max(1, first.resident))
        )
    }
}
