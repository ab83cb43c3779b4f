import AMQP
import NIOCore
import TLS
import Transport

/// One run of couriers.
///
/// Safety: used by the process's only thread.
final class World: SimulatedWorld, @unchecked Sendable {
    /// The TLS context that pools ask for, and leave out on a network in memory.
    private let tls: TLSClientContext
    private var couriers: [Courier] = []
    private var started = 0

    init(_ plan: Plan, tls: TLSClientContext, isPrinted: Bool) {
        self.tls = tls
        super.init(plan, isPrinted: isPrinted)
        declareTopology()
        observeFarSides()
    }

    private func declareTopology() {
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
        provider.processed = { observer.providerProcessed($0.id, $0.device) }
        provider.answered = { observer.providerAnswered($0.id, $1) }
    }

    // MARK: - Running

    /// Runs until everything has ended or a law is broken; returns the breach.
    func run() -> String? {
        for _ in 0..<plan.workers { startWorker() }
        startProducer()
        if !run(forUpTo: plan.limit, isOver: { isOver }) {
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
        let host = scheduler.host("producer", clock: Self.clock(3))
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
        let host = scheduler.host("worker\(started)", clock: Self.clock(Int64(3 + started)))
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
