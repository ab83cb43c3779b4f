/// The frame of a run: clock and scheduler, network, the far sides, and who watches all of it.
///
/// Safety: used by the process's only thread.
class SimulatedWorld: @unchecked Sendable {
    let plan: Plan
    let trace: Trace
    let observer: Observer
    let scheduler: Scheduler
    let network: SimulatedNetwork
    let broker: Broker
    let provider: PushService

    /// The addresses of the broker and the provider.
    static let brokerAddress = "10.0.0.1:5672"
    static let providerAddress = "10.0.0.2:443"
    /// The wall clock at the beginning, in nanoseconds: 2026-11-28.
    static let epoch: Int64 = 1_795_824_000_000_000_000

    init(_ plan: Plan, isPrinted: Bool) {
        self.plan = plan
        trace = Trace(isPrinted: isPrinted)
        observer = Observer(trace, isCalm: plan.faults.isEmpty)
        scheduler = Scheduler(seed: plan.seed, trace: trace)
        network = SimulatedNetwork(scheduler: scheduler, trace: trace, seed: plan.seed)
        broker = Broker(scheduler.host("broker", clock: Self.clock(1)), trace: trace, seed: plan.seed)
        provider = PushService(scheduler.host("provider", clock: Self.clock(2)), trace: trace, seed: plan.seed)
        trace.clock = { [scheduler] in scheduler.now }
        network.listen(broker, at: Self.brokerAddress)
        network.listen(provider, at: Self.providerAddress)
        broker.faulted = { [observer] in observer.brokerFault($0) }
        provider.faulted = { [observer] in observer.providerFault($0) }
    }

    /// Returns the clock of a machine; the uptimes differ, so that one monotonic clock says nothing on another machine.
    static func clock(_ machine: Int64) -> HostClock { HostClock(uptime: machine * 977_000_000_000, wall: epoch) }
}

extension FaultTargets where Self: SimulatedWorld {
    /// Runs, with the plan's faults at their instants, until it is over or a law is broken; returns false at the end of
    /// a time in milliseconds.
    func run(forUpTo time: Int, isOver: () -> Bool) -> Bool {
        for fault in plan.faults {
            scheduler.happen(at: Int64(fault.at) * 1_000_000) { [self] in begin(fault.kind) }
        }
        return scheduler.run(until: Int64(time) * 1_000_000) { observer.breach != nil || isOver() }
    }
}
