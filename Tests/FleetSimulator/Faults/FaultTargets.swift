/// The parts of a simulated world that faults happen to.
protocol FaultTargets: AnyObject {
    var scheduler: Scheduler { get }
    var network: SimulatedNetwork { get }
    var broker: Broker { get }
    var provider: PushService { get }
    /// The hosts of workers that live, in the order of their starts.
    var workerHosts: [SimulatedHost] { get }
    /// The queues and the exchange that faults of the broker concern.
    var faultyQueues: [String] { get }
    var faultyExchange: String { get }

    /// Notes that a worker's process has ended.
    func workerEnded(_ host: SimulatedHost)
    func startWorker()
    /// Changes the clock of a host, and of all that share its machine.
    func changeClock(of host: SimulatedHost, _ change: (inout HostClock) -> Void)
    /// Has the disk fail or the machine stop; without effect where there is none.
    func begin(_ fault: Fault.Disk)
}

extension FaultTargets {
    private var trace: Trace { scheduler.trace }

    /// Has a fault begin, and end by itself.
    func begin(_ kind: Fault.Kind) {
        trace.note("fault", "\(kind)")
        switch kind {
        case .cutToBroker: network.cutOne(to: broker.host)
        case .cutToProvider: network.cutOne(to: provider.host)
        case .loseToBroker: network.cutOne(to: broker.host, silently: true)
        case .loseToProvider: network.cutOne(to: provider.host, silently: true)
        case .isolate(let host, let time): network.isolate(anyHost(host), for: nanoseconds(time))
        case .freeze(let worker, let time): freeze(worker, for: time)
        case .crash(let worker, let time): crash(worker, for: time)
        case .clockSkew(let host, let skew):
            let now = scheduler.now
            changeClock(of: anyHost(host)) { $0.run(skew: Int64(skew), from: now) }
        case .clockJump(let host, let time): changeClock(of: anyHost(host)) { $0.jump(by: Int64(time) * 1_000_000) }
        case .disk(let fault): begin(fault)
        case .brokerCrash(let time): broker.crash(for: nanoseconds(time), on: network)
        default: beginAtFarSide(kind)
        }
    }

    private func beginAtFarSide(_ kind: Fault.Kind) {
        switch kind {
        case .alarm(let time):
            onBroker { $0.alarm(true) }
            after(time) { $0.onBroker { $0.alarm(false) } }
        case .refusePublishes(let count): broker.refusals += count
        case .unbind(let time):
            broker.unbound.insert(faultyExchange)
            after(time) { $0.broker.unbound.remove($0.faultyExchange) }
        case .loseLeader(let queue, let time):
            broker.loseLeader(of: faultyQueues[queue % faultyQueues.count], for: nanoseconds(time))
        case .provider(let mood, let time):
            provider.mood = mood
            after(time) { $0.provider.mood = .well }
        case .goAway: onProvider { $0.leave() }
        case .streamLimit(let streams, let time):
            onProvider { $0.allow(UInt32(streams)) }
            after(time) { $0.onProvider { $0.allow(20) } }
        default: preconditionFailure("\(kind) is no fault of a far side")
        }
    }

    private func nanoseconds(_ milliseconds: Int) -> Int64 { Int64(milliseconds) * 1_000_000 }

    func after(_ milliseconds: Int, _ body: @escaping (Self) -> Void) {
        scheduler.happen(after: nanoseconds(milliseconds)) { [self] in body(self) }
    }

    private func onBroker(_ body: @escaping (Broker) -> Void) {
        scheduler.add({ [broker] in body(broker) }, to: broker.runQueue)
    }

    private func onProvider(_ body: @escaping (PushService) -> Void) {
        scheduler.add({ [provider] in body(provider) }, to: provider.runQueue)
    }

    private func anyHost(_ number: Int) -> SimulatedHost {
        let alive = scheduler.hosts.filter(\.isAlive)
        return alive[number % alive.count]
    }

    private func worker(_ number: Int) -> SimulatedHost? {
        let alive = workerHosts
        return alive.isEmpty ? nil : alive[number % alive.count]
    }

    private func freeze(_ number: Int, for time: Int) {
        guard let host = worker(number), !host.isFrozen else { return }
        trace.note("fault", "\(host.name) is frozen")
        host.freeze()
        after(time) { _ in host.thaw() }
    }

    private func crash(_ number: Int, for time: Int) {
        guard let host = worker(number) else { return }
        end(host, for: time)
    }

    /// Ends a worker's process, and starts another one later.
    func end(_ host: SimulatedHost, for time: Int) {
        trace.note("fault", "\(host.name) crashes")
        host.crash()
        network.cutAll(of: host)
        workerEnded(host)
        after(time) { $0.startWorker() }
    }
}
