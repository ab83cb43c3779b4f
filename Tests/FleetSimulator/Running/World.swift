import AMQP
import NIOCore
import TLS
import Transport

/// One run of a plan: hosts, network, far sides and couriers, and the faults at their instants.
final class World {
    let plan: Plan
    /// The TLS context that pools ask for, and leave out on a network in memory.
    private let tls: TLSClientContext
    let trace: Trace
    let observer: Observer
    let scheduler: Scheduler
    let network: SimulatedNetwork
    let broker: Broker
    let provider: PushService
    private var couriers: [Courier] = []
    private var started = 0

    /// The address of the broker and the provider.
    private static let brokerAddress = "10.0.0.1:5672"
    private static let providerAddress = "10.0.0.2:443"
    /// The wall clock at the beginning: 2026-11-28.
    private static let epoch: Int64 = 1_795_824_000_000_000_000

    init(_ plan: Plan, tls: TLSClientContext, isPrinted: Bool) {
        self.plan = plan
        self.tls = tls
        trace = Trace(isPrinted: isPrinted)
        observer = Observer(trace, isCalm: plan.faults.isEmpty)
        scheduler = Scheduler(seed: plan.seed, trace: trace)
        network = SimulatedNetwork(scheduler: scheduler, trace: trace, seed: plan.seed)
        broker = Broker(Self.host("broker", 1, on: scheduler), trace: trace, seed: plan.seed)
        provider = PushService(Self.host("provider", 2, on: scheduler), trace: trace, seed: plan.seed)
        trace.clock = { [scheduler] in scheduler.now }
        declareTopology()
        observeFarSides()
    }

    /// The uptimes differ, so that one host's monotonic clock says nothing on another.
    private static func host(_ name: String, _ number: Int64, on scheduler: Scheduler) -> SimulatedHost {
        scheduler.host(name, clock: HostClock(uptime: number * 977_000_000_000, wall: epoch))
    }

    private func declareTopology() {
        network.listen(broker, at: Self.brokerAddress)
        network.listen(provider, at: Self.providerAddress)
        let limits = QuorumQueue.Policy(deadLetters: "parked", deliveryLimit: 1000, lengthMax: 10_000)
        broker.declare(queue: Courier.Names.work, limits)
        broker.declare(queue: Courier.Names.results)
        broker.declare(
            queue: Courier.Names.retry,
            .init(ttl: 5_000_000_000, deadLetters: "work", lengthMax: 10_000)
        )
        broker.bind(queue: Courier.Names.work, to: "work")
        broker.bind(queue: Courier.Names.results, to: Courier.Names.results)
        broker.bind(queue: Courier.Names.retry, to: Courier.Names.retry)
    }

    private func observeFarSides() {
        let observer = observer
        broker.stored = { observer.brokerStored($1.id, in: $0, $1.body) }
        broker.acked = { observer.brokerAcked($0, $1.body) }
        broker.delivered = { observer.brokerDelivered($0, $1.body) }
        broker.returned = { observer.brokerReturned($0) }
        broker.refused = { observer.brokerRefused($0) }
        broker.faulted = { observer.brokerFault($0) }
        provider.processed = { observer.providerProcessed($0, $1) }
        provider.answered = { id, _, status in observer.providerAnswered(id, status) }
        provider.faulted = { observer.providerFault($0) }
    }

    // MARK: - Running

    /// Runs until everything has ended or a law is broken; returns the breach.
    func run() -> String? {
        for _ in 0..<plan.workers { startWorker() }
        startProducer()
        for fault in plan.faults {
            scheduler.happen(at: Int64(fault.at) * 1_000_000) { [self] in begin(fault.kind) }
        }
        let hasEnded = scheduler.run(until: Int64(plan.limit) * 1_000_000) { observer.breach != nil || isOver }
        if !hasEnded {
            let all = plan.shards * plan.devicesPerShard
            observer.broke("\(missing) of \(all) devices have no result \(plan.limit) ms after the beginning")
        }
        return observer.breach
    }

    private var missing: Int { plan.shards * plan.devicesPerShard - observer.devicesDone.count }

    /// True if every device has its result and nothing is left anywhere.
    private var isOver: Bool {
        observer.hasProduced && missing == 0 && broker.isEmpty(of: [Courier.Names.work, Courier.Names.retry])
            && couriers.allSatisfy { !$0.loop.runQueue.host.isAlive || $0.isIdle }
    }

    private var endpoint: AMQPEndpoint {
        AMQPEndpoint(hosts: [.init(name: "10.0.0.1", port: 5672)], user: "fanfare", password: "secret")
    }

    private func startProducer() {
        let host = Self.host("producer", 3, on: scheduler)
        let shards = (0..<plan.shards).map { number in
            let devices = number * plan.devicesPerShard..<(number + 1) * plan.devicesPerShard
            return CourierShard(number: number, attempt: 0, devices: Array(devices))
        }
        let producer = Producer(
            loop: SimulatedLoop("loop", of: host, network: network),
            endpoint: endpoint,
            shards: shards,
            pause: plan.pause,
            observer: observer
        )
        scheduler.add({ Task { await producer.run() } }, to: host.jobs)
    }

    func startWorker() {
        started += 1
        let host = Self.host("worker\(started)", Int64(3 + started), on: scheduler)
        let loop = SimulatedLoop("loop", of: host, network: network)
        let start = { [self] in
            let courier = Courier(
                host.name,
                loop: loop,
                endpoint: endpoint,
                provider: HTTP2Endpoint(host: "10.0.0.2", port: 443),
                tls: tls,
                observer: observer
            )
            couriers.append(courier)
            courier.start()
        }
        scheduler.add(start, to: loop.runQueue)
    }
}

extension World: FaultTargets {
    var workerHosts: [SimulatedHost] { couriers.map(\.loop.runQueue.host).filter(\.isAlive) }

    var faultyQueues: [String] { [Courier.Names.work, Courier.Names.results, Courier.Names.retry] }

    var faultyExchange: String { Courier.Names.retry }

    func workerEnded(_ host: SimulatedHost) {}

    func changeClock(of host: SimulatedHost, _ change: (inout HostClock) -> Void) { change(&host.clock) }

    func begin(_ fault: Fault.Disk) {}
}
