import AMQP
import CSimulatedDisk
import Campaigns
import Delivery
import Logging
import NIOCore
import Operations
import Settings
import Store
import Transport

/// One run of a whole fleet: workers as they ship on one machine with a SQLite ledger, and campaigns for them.
///
/// Safety: used by the process's only thread.
final class FleetWorld: @unchecked Sendable {
    private let plan: Plan
    private let files: FleetFiles
    let trace: Trace
    let observer: Observer
    let scheduler: Scheduler
    private let network: SimulatedNetwork
    private let broker: Broker
    private let provider: PushService
    private var workers: [SimulatedWorkerProcess] = []
    private var started = 0
    /// The pushes that the provider processed, by device.
    private var pushes: [Int: Int] = [:]
    private var isCompleted = false
    private let producer: SimulatedHost
    private var openedLedger: Ledger?

    /// The addresses of the broker and the provider.
    static let brokerAddress = "10.0.0.1:5672"
    static let providerAddress = "10.0.0.2:443"
    /// The wall clock at the beginning: 2026-11-28.
    private static let epoch: Int64 = 1_795_824_000_000_000_000
    /// The time since the machine's boot.
    private static let uptime: Int64 = 977_000_000_000

    init(_ plan: Plan, files: FleetFiles, isPrinted: Bool) {
        self.plan = plan
        self.files = files
        trace = Trace(isPrinted: isPrinted)
        observer = Observer(trace, isCalm: plan.faults.isEmpty)
        scheduler = Scheduler(seed: plan.seed, trace: trace)
        network = SimulatedNetwork(scheduler: scheduler, trace: trace, seed: plan.seed)
        broker = Broker(Self.host("broker", on: scheduler), trace: trace, seed: plan.seed)
        provider = PushService(Self.host("provider", on: scheduler), trace: trace, seed: plan.seed)
        producer = Self.host("producer", on: scheduler)
        trace.clock = { [scheduler] in scheduler.now }
        simulated_disk_install(plan.seed)
        scheduler.entering = { simulated_disk_enter(Int32($0.number)) }
        network.listen(broker, at: Self.brokerAddress)
        network.listen(provider, at: Self.providerAddress)
        declareTopology()
        broker.faulted = { [observer] in observer.brokerFault($0) }
        provider.faulted = { [observer] in observer.providerFault($0) }
        provider.processed = { [unowned self] in pushes[$1, default: 0] += 1 }
    }

    private static func host(_ name: String, on scheduler: Scheduler) -> SimulatedHost {
        scheduler.host(name, clock: HostClock(uptime: uptime, wall: epoch))
    }

    /// Declares what `fanfare topology apply` declares; all jobs go to the bulk intake.
    private func declareTopology() {
        let manifest = TopologyManifest.builtIn
        for exchange in manifest.exchanges { broker.declare(exchange: exchange.name) }
        for queue in manifest.queues {
            let policy = queue.policy
            broker.declare(
                queue: queue.name,
                QuorumQueue.Policy(
                    ttl: policy.messageTTL.map { Int64($0) * 1_000_000 },
                    deadLetters: policy.deadLetterExchange,
                    deliveryLimit: policy.deliveryLimit,
                    lengthMax: policy.maxLength
                )
            )
        }
        for binding in manifest.bindings {
            guard case .queue(let queue) = binding.destination, binding.header == nil else { continue }
            broker.bind(queue: queue, to: binding.source, key: binding.routingKey.isEmpty ? "#" : binding.routingKey)
        }
        broker.bind(queue: BrokerNames.campaignsQueue, to: BrokerNames.campaigns)
    }

    // MARK: - Running

    /// Runs until the campaign is complete or a law is broken; returns the breach.
    func run() -> String? {
        for _ in 0..<plan.workers { startWorker() }
        startProducer()
        let end = Int64(plan.limit + 120_000) * 1_000_000
        if !scheduler.run(until: end, { observer.breach != nil || isCompleted }) {
            observer.broke("the campaign is not complete")
        }
        return observer.breach
    }

    private func startWorker() {
        started += 1
        let process = SimulatedWorkerProcess(
            Self.host("worker\(started)", on: scheduler),
            network: network,
            files: files,
            trace: trace
        )
        workers.append(process)
        process.start()
    }

    /// The number of pushes, and of the devices that they went to.
    var pushCount: Int { pushes.values.reduce(0, +) }
    var pushedDevices: Int { pushes.count }

    private var devices: Int { plan.shards * plan.devicesPerShard }

    private func startProducer() {
        let loop = SimulatedLoop("loop", of: producer, network: network)
        scheduler.add({ [self] in Task { await produce(on: loop) } }, to: producer.jobs)
    }

    private func produce(on loop: SimulatedLoop) async {
        while !(await publish(on: loop)) { try? await Task.sleep(for: .seconds(1)) }
        while !isCompleted {
            try? await Task.sleep(for: .milliseconds(500))
            await look()
        }
    }

    private func publish(on loop: SimulatedLoop) async -> Bool {
        do {
            let client = try await AMQPClient.connect(files.configuration.amqp, name: "producer", on: loop)
            let tokens = (0..<devices).map { "{\"token\":\"\(Self.token($0))\"}" }.joined(separator: ",")
            let job =
                "{\"id\":\"derby\",\"app\":\"\(FleetFiles.app)\",\"audience\":{\"devices\":[\(tokens)]},"
                + "\"content\":{\"title\":\"Kick-off!\",\"body\":\"The derby has begun.\"}}"
            let properties = MessageProperties(
                contentType: "application/json",
                type: "fanfare.campaign.v1",
                messageID: "derby"
            )
            let result = await client.publish(
                OutboundMessage(
                    exchange: BrokerNames.campaigns,
                    routingKey: FleetFiles.app,
                    properties: properties,
                    body: Array(job.utf8)
                )
            )
            trace.note("producer", "publishes the campaign: \(result)")
            await client.close()
            return result == .confirmed
        } catch {
            trace.note("producer", "cannot connect: \(error)")
            return false
        }
    }

    private static func token(_ device: Int) -> String {
        let number = String(device, radix: 16)
        return String(repeating: "a", count: 56) + String(repeating: "0", count: 8 - number.count) + number
    }

    /// The ledger as the producer's host has it open.
    private func ledgerOfProducer() throws -> Ledger {
        if let openedLedger { return openedLedger }
        let ledger = try Ledger.open(
            files.configuration.store,
            create: false,
            threads: .callers { [producer] in SeededWriter(of: producer) }
        )
        openedLedger = ledger
        return ledger
    }

    /// Looks at the campaign as `fanfare campaign status` does.
    private func look() async {
        do {
            let ledger = try ledgerOfProducer()
            let status = try await ledger.read { try $0.status(app: FleetFiles.app, id: "derby", now: ledger.now()) }
            guard let status else { return }
            trace.note("producer", "the campaign is \(status.stage), \(status.law)")
            isCompleted = status.stage == .completed
        } catch {
            trace.note("producer", "no status: \(error)")
        }
    }
}

extension FleetWorld {
    /// The pushes of the run.
    var summary: String { "\(pushCount) pushes to \(pushedDevices) devices" }
}
