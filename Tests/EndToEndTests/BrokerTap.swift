import NIOCore
import NIOPosix
import Synchronization

/// A proxy between workers and the broker that records the order of publishes, confirms, deliveries and
/// acknowledgements, and can hold back confirms.
///
/// Everything runs on one loop, so the notes of all connections are in one order.
final class BrokerTap: Sendable {
    /// A recorded frame.
    enum Note: Sendable, Equatable {
        case published(String, exchange: String)
        case confirmed(String)
        case delivered(String)
        case redelivered(String)
        case acknowledged(String)
    }

    /// The port on which workers find the broker.
    let port: Int
    private let server: any Channel
    private let journal = Journal()

    /// Opens a port and connects every client with the broker.
    init(broker port: Int) async throws {
        let journal = journal
        let bootstrap = ServerBootstrap(group: PrivateBroker.loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { worker in
                ClientBootstrap(group: PrivateBroker.loop)
                    .connect(host: "127.0.0.1", port: port)
                    .flatMapThrowing { broker in
                        let pair = TappedConnection(worker: worker, broker: broker, journal: journal)
                        try worker.pipeline.syncOperations.addHandler(TapHandler(pair, from: .worker))
                        try broker.pipeline.syncOperations.addHandler(TapHandler(pair, from: .broker))
                        try worker.syncOptions?.setOption(.autoRead, value: true)
                    }
            }
        server = try await bootstrap.bind(host: "127.0.0.1", port: 0).get()
        self.port = server.localAddress?.port ?? 0
    }

    /// All notes so far.
    var notes: [Note] { journal.state.withLock { $0.notes } }

    /// Holds back the broker's bytes on a connection, beginning with the confirm of a publish to this exchange.
    func holdConfirms(ofExchange prefix: String) {
        journal.state.withLock { $0.heldPrefix = prefix }
    }

    /// Forwards the held-back bytes and holds back nothing more.
    func release() {
        PrivateBroker.loop.execute { [journal] in
            let held = journal.state.withLock { state in
                state.heldPrefix = nil
                return state.held
            }
            for connection in held { connection.value.resume() }
        }
    }

    /// Cuts a consuming connection after each interval, always the one that exists longest.
    func flap(every interval: TimeAmount) {
        let task = PrivateBroker.loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { [journal] _ in
            let oldest = journal.state.withLock { state in
                state.cuts += state.consumers.isEmpty ? 0 : 1
                return state.consumers.isEmpty ? nil : state.consumers.removeFirst()
            }
            oldest?.value.cut()
        }
        journal.state.withLock { $0.flapping = task }
    }

    /// Stops cutting; returns the number of cuts.
    func steady() -> Int {
        journal.state.withLock { state in
            state.flapping?.cancel()
            state.flapping = nil
            return state.cuts
        }
    }

    /// Stops accepting connections; existing ones end with their workers.
    func close() async throws {
        try await server.close()
    }

    fileprivate final class Journal: Sendable {
        struct State {
            var notes: [Note] = []
            var heldPrefix: String?
            var held: [NIOLoopBound<TappedConnection>] = []
            /// Connections that messages were delivered on, oldest first.
            var consumers: [NIOLoopBound<TappedConnection>] = []
            var flapping: RepeatedTask?
            var cuts = 0
        }

        let state = Mutex(State())
    }
}

/// One connection of a worker with its half to the broker.
///
/// Confined to the loop.
private final class TappedConnection {
    private let worker: any Channel
    private let broker: any Channel
    private let journal: BrokerTap.Journal
    private var fromWorker = AMQPEavesdropper()
    private var fromBroker = AMQPEavesdropper()
    /// The publishes in the order of their sequence numbers, which count from 1.
    private var published: [(id: String, exchange: String, isConfirmed: Bool)] = []
    private var delivered: [UInt64: String] = [:]
    private var consumes = false
    /// The broker's bytes since a held-back confirm; nil while none is held back.
    private var kept: ByteBuffer?

    init(worker: any Channel, broker: any Channel, journal: BrokerTap.Journal) {
        self.worker = worker
        self.broker = broker
        self.journal = journal
    }

    func passed(_ bytes: ByteBuffer, from side: TapHandler.Side) {
        switch side {
        case .worker:
            for event in fromWorker.read(bytes) { workerSaid(event) }
            broker.writeAndFlush(bytes, promise: nil)
        case .broker:
            var ahead = fromBroker
            if kept != nil {
                kept?.writeImmutableBuffer(bytes)
            } else if ahead.read(bytes).contains(where: isHeld) {
                kept = bytes
                let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
                journal.state.withLock { $0.held.append(bound) }
            } else {
                handOn(bytes)
            }
        }
    }

    func resume() {
        guard let bytes = kept else { return }
        kept = nil
        handOn(bytes)
    }

    func cut() {
        for end in [worker, broker] { end.close(promise: nil) }
    }

    func ended(_ side: TapHandler.Side) {
        journal.state.withLock { $0.consumers.removeAll { $0.value === self } }
        (side == .worker ? broker : worker).close(promise: nil)
    }

    private func handOn(_ bytes: ByteBuffer) {
        for event in fromBroker.read(bytes) { brokerSaid(event) }
        worker.writeAndFlush(bytes, promise: nil)
    }

    private func isHeld(_ event: AMQPEavesdropper.Event) -> Bool {
        guard case .acknowledgement(let tag, let multiple) = event,
            let prefix = journal.state.withLock({ $0.heldPrefix })
        else { return false }
        return confirms(tag, multiple).contains { published[$0].exchange.hasPrefix(prefix) }
    }

    private func confirms(_ tag: UInt64, _ multiple: Bool) -> [Int] {
        ((multiple ? 0 : Int(tag) - 1)..<Int(tag)).filter { !published[$0].isConfirmed }
    }

    private func workerSaid(_ event: AMQPEavesdropper.Event) {
        switch event {
        case .message(let id, let exchange, _, _):
            published.append((id, exchange, false))
            note(.published(id, exchange: exchange))
        case .acknowledgement(let tag, let multiple):
            for known in delivered.keys.sorted() where multiple ? known <= tag : known == tag {
                if let id = delivered.removeValue(forKey: known) { note(.acknowledged(id)) }
            }
        }
    }

    private func brokerSaid(_ event: AMQPEavesdropper.Event) {
        switch event {
        case .message(let id, _, let tag, let isRedelivered):
            delivered[tag] = id
            beginConsuming()
            note(isRedelivered ? .redelivered(id) : .delivered(id))
        case .acknowledgement(let tag, let multiple):
            for index in confirms(tag, multiple) {
                published[index].isConfirmed = true
                note(.confirmed(published[index].id))
            }
        }
    }

    private func beginConsuming() {
        guard !consumes else { return }
        consumes = true
        let bound = NIOLoopBound(self, eventLoop: worker.eventLoop)
        journal.state.withLock { $0.consumers.append(bound) }
    }

    private func note(_ note: BrokerTap.Note) {
        journal.state.withLock { $0.notes.append(note) }
    }
}

/// Passes the bytes of one half of a connection to the other.
private final class TapHandler: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    enum Side { case worker, broker }

    private let connection: TappedConnection
    private let side: Side

    init(_ connection: TappedConnection, from side: Side) {
        self.connection = connection
        self.side = side
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        connection.passed(unwrapInboundIn(data), from: side)
    }

    func channelInactive(context: ChannelHandlerContext) {
        connection.ended(side)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }
}
