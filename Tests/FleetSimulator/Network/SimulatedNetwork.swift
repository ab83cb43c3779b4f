import NIOCore
import Seeds

/// The network between the hosts: services by their addresses, connections, and what goes wrong on the way.
final class SimulatedNetwork {
    let scheduler: Scheduler
    let trace: Trace
    private var random: SeededRandom
    private var services: [String: any SimulatedService] = [:]
    /// The connections that are not over, in the order in which they were made.
    private(set) var connections: [SimulatedConnection] = []
    private var made = 0
    /// The number of hosts that connections cannot reach, by the host's name.
    private var unreachable: [String: Int] = [:]
    /// The mean delay of a piece, in nanoseconds.
    var latency: Int64 = 200_000

    init(scheduler: Scheduler, trace: Trace, seed: UInt64) {
        self.scheduler = scheduler
        self.trace = trace
        random = SeededRandom(seed: seed ^ 0x5EED_0002)
    }

    /// Has a service listen at an IP address and a port; one that was there is replaced.
    func listen(_ service: any SimulatedService, at address: String) { services[address] = service }

    // MARK: - Chance

    /// Returns the delay of one piece: mostly near the mean, now and then twenty times as long.
    func delay() -> Int64 {
        let usual = latency / 2 + Int64(random.below(Int(latency)))
        return random.chance(0.02) ? usual * 20 : usual
    }

    /// Cuts bytes into the pieces in which they arrive: mostly one, sometimes several, in mid-frame.
    func pieces(of bytes: [UInt8]) -> [ArraySlice<UInt8>] {
        var (pieces, rest) = ([ArraySlice<UInt8>](), bytes[...])
        while rest.count > 1, random.chance(0.15) {
            let count = 1 + random.below(rest.count - 1)
            pieces.append(rest.prefix(count))
            rest = rest.dropFirst(count)
        }
        return pieces + [rest]
    }

    // MARK: - Connecting

    func connect(
        from loop: SimulatedLoop,
        to address: SocketAddress,
        timeout: TimeAmount,
        initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
        let promise = loop.makePromise(of: (any Channel).self)
        let name = "\(address.ipAddress ?? ""):\(address.port ?? 0)"
        guard let service = services[name] else { preconditionFailure("nobody was ever at \(name)") }
        made += 1
        let connection = SimulatedConnection(made, from: loop, to: service.host, on: self)
        let channel = SimulatedChannel(connection, loop: loop, to: address)
        connection.channel = channel
        var isSettled = false
        let settle = { (error: (any Error)?) in
            guard !isSettled else { return }
            isSettled = true
            if let error { return channel.giveUp(error, promise) }
            self.begin(connection, service, channel, promise)
        }
        initializer(channel).assumeIsolated().whenFailure { settle($0) }
        loop.runQueue.host.schedule(after: timeout.nanoseconds, on: loop.runQueue) {
            settle(ChannelError.connectTimeout(timeout))
        }
        scheduler.happen(after: delay() + delay()) { [self] in
            guard unreachable[service.host.name, default: 0] == 0, !service.host.isFrozen else { return }
            let isRefused = !service.isListening || !service.host.isAlive
            scheduler.add({ settle(isRefused ? IOError(errnoCode: 111, reason: "connect") : nil) }, to: loop.runQueue)
        }
        return promise.futureResult
    }

    private func begin(
        _ connection: SimulatedConnection,
        _ service: any SimulatedService,
        _ channel: SimulatedChannel,
        _ promise: EventLoopPromise<any Channel>
    ) {
        connections.append(connection)
        connection.session = service.accept(connection)
        trace.note("network", "connection \(connection.number) from \(connection.client.name) to \(service.host.name)")
        channel.activate(promise)
    }

    func forget(_ connection: SimulatedConnection) { connections.removeAll { $0 === connection } }

    // MARK: - Faults

    /// Cuts one of the connections to a host; silently: neither end hears of it.
    func cutOne(to server: SimulatedHost, silently: Bool = false) {
        let meant = connections.filter { $0.server === server }
        guard !meant.isEmpty else { return }
        let connection = meant[random.below(meant.count)]
        trace.note("network", "connection \(connection.number) is \(silently ? "lost" : "cut")")
        if silently { connection.vanish() } else { connection.cut() }
    }

    /// Cuts all connections of a host, as its crash does.
    func cutAll(of host: SimulatedHost) {
        for connection in connections where connection.involves(host) { connection.cut() }
    }

    /// Separates a host from all others for a time: what is under way arrives later, or never when an end gives up.
    func isolate(_ host: SimulatedHost, for nanoseconds: Int64) {
        trace.note("network", "\(host.name) is cut off for \(nanoseconds / 1_000_000) ms")
        unreachable[host.name, default: 0] += 1
        let end = scheduler.now + nanoseconds
        for connection in connections where connection.involves(host) { connection.stall(until: end) }
        scheduler.happen(after: nanoseconds) { self.unreachable[host.name, default: 1] -= 1 }
    }
}
