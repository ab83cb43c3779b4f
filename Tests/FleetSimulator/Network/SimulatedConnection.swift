import NIOCore
import Seeds

/// A connection: bytes on their way in both directions, each in order, in pieces and with delays that the seed decides.
///
/// A close travels behind the bytes that were sent before it; a cut loses what is on its way.
final class SimulatedConnection {
    /// An end of the connection.
    enum End {
        case client
        case server

        var other: End { self == .client ? .server : .client }
    }

    /// The state of what travels to one end.
    private struct Direction {
        /// The instant of the last arrival: the next one is not before it.
        var lastArrival: Int64 = 0
        var unsentBytes = 0
        var isClosed = false
    }

    let number: Int
    let client: SimulatedHost
    let server: SimulatedHost
    /// The queues of work on which each end hears of arrivals.
    private let clientQueue: RunQueue
    private let serverQueue: RunQueue
    weak var channel: SimulatedChannel?
    var session: (any SimulatedSession)?
    private unowned let network: SimulatedNetwork
    private var toClient = Direction()
    private var toServer = Direction()
    /// True after a cut or a loss: nothing arrives any more.
    private(set) var isCut = false
    /// The instant until which everything waits on the way, as behind a router that drops packets.
    private var stalledUntil: Int64 = 0

    init(_ number: Int, from loop: SimulatedLoop, to server: SimulatedHost, on network: SimulatedNetwork) {
        self.number = number
        self.network = network
        self.server = server
        client = loop.runQueue.host
        clientQueue = loop.runQueue
        serverQueue = server.runQueue("connection \(number)")
    }

    /// The client's bytes that the server has not got.
    var unsentBytes: Int { toServer.unsentBytes }

    /// True if both ends are closed, or nothing arrives any more.
    var isOver: Bool { isCut || (toClient.isClosed && toServer.isClosed) }

    func involves(_ host: SimulatedHost) -> Bool { client === host || server === host }

    private func direction(to end: End) -> WritableKeyPath<SimulatedConnection, Direction> {
        end == .client ? \.toClient : \.toServer
    }

    // MARK: - Sending

    func send(_ bytes: [UInt8], from end: End) {
        let target = end.other
        guard !isCut, !self[keyPath: direction(to: target)].isClosed else { return }
        network.trace.wire(number, bytes)
        if end == .client { session?.written(bytes) }
        for piece in network.pieces(of: bytes) {
            travel(to: target, count: piece.count) { [weak self] in self?.arrive(Array(piece), at: target) }
        }
    }

    /// Closes one end: the other hears of it after everything that was sent before.
    func close(from end: End) {
        let target = end.other
        guard !isCut, !self[keyPath: direction(to: target)].isClosed else { return }
        markClosed(to: target)
        travel(to: target, count: 0) { [weak self] in self?.end(target, nil) }
    }

    private func markClosed(to end: End) {
        if end == .client { toClient.isClosed = true } else { toServer.isClosed = true }
        if isOver { network.forget(self) }
    }

    /// Has something arrive at an end after a delay, behind everything before it.
    private func travel(to end: End, count: Int, _ arrival: @escaping () -> Void) {
        let scheduler = network.scheduler
        let last = end == .client ? toClient.lastArrival : toServer.lastArrival
        let instant = max(last, stalledUntil, scheduler.now) + network.delay()
        if end == .client {
            toClient.lastArrival = instant
        } else {
            toServer.lastArrival = instant
            toServer.unsentBytes += count
        }
        let runQueue = end == .client ? clientQueue : serverQueue
        scheduler.happen(at: instant) { [weak self] in
            guard let self, !isCut else { return }
            scheduler.add({ [weak self] in self.map { if !$0.isCut { arrival() } } }, to: runQueue)
        }
    }

    private func arrive(_ bytes: [UInt8], at end: End) {
        switch end {
        case .client:
            // A client that has closed its end reads nothing any more.
            if !toServer.isClosed { session?.read(bytes) }
            channel?.received(bytes)
        case .server:
            toServer.unsentBytes -= bytes.count
            session?.received(bytes)
            guard toServer.unsentBytes >= 0, let channel else { return }
            network.scheduler.add({ channel.drained() }, to: clientQueue)
        }
    }

    private func end(_ end: End, _ error: (any Error)?) {
        switch end {
        case .client: channel?.ended(error)
        case .server:
            session?.ended()
            session = nil
        }
    }

    // MARK: - Faults

    /// Holds everything back until an instant.
    func stall(until instant: Int64) { stalledUntil = max(stalledUntil, instant) }

    /// Loses everything from now on, and neither end hears of it, as when a machine on the way has forgotten it.
    func vanish() {
        isCut = true
        network.forget(self)
    }

    /// Breaks the connection: what is on its way is lost, and each end that lives hears of it sooner or later.
    func cut() {
        guard !isCut else { return }
        isCut = true
        network.forget(self)
        let reset = IOError(errnoCode: 104, reason: "read")
        for end in [End.client, .server] {
            let runQueue = end == .client ? clientQueue : serverQueue
            network.scheduler.happen(after: network.delay()) { [weak self, network] in
                network.scheduler.add({ self?.end(end, reset) }, to: runQueue)
            }
        }
    }
}
