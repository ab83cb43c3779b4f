import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Settings
import Synchronization
import Transport

/// An answer of the address `worker.listen`.
struct ProbeAnswer: Sendable {
    var status: HTTPResponseStatus
    var text: String
    var contentType = "text/plain; charset=utf-8"
}

/// The address of metrics and probes: HTTP/1.1, GET and HEAD only.
///
/// It has a thread of its own, so that it can report when the sending loops do not answer.
final class ProbeServer: Sendable {
    typealias Answering = @Sendable (_ path: String, _ loop: any EventLoop) -> EventLoopFuture<ProbeAnswer>

    /// The most connections at once; further ones are closed.
    private static let connectionsMax = 64
    /// The time after which a silent connection is closed.
    private static let idleMax = TimeAmount.seconds(60)
    /// The number of ports tried after the default one.
    private static let portsTried = 100

    /// The address it listens on.
    let address: Configuration.NetworkAddress
    private let group: MultiThreadedEventLoopGroup
    private let channel: any Channel
    private let answers: ProbeAnswers

    private init(
        address: Configuration.NetworkAddress,
        group: MultiThreadedEventLoopGroup,
        channel: any Channel,
        answers: ProbeAnswers
    ) {
        self.address = address
        self.group = group
        self.channel = channel
        self.answers = answers
    }

    /// Sets the source of answers; until then all answers say that the worker starts.
    func use(_ answering: @escaping Answering) { answers.use(answering) }

    /// Starts to listen.
    ///
    /// An address in use is an error if it was configured; the default moves to the next port.
    static func start(
        _ address: Configuration.NetworkAddress,
        isGiven: Bool
    ) async throws(WorkerError) -> ProbeServer {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let answers = ProbeAnswers()
        do {
            let last = isGiven ? address.port : min(65_535, address.port + portsTried)
            for port in address.port...last {
                do {
                    let channel = try await listen(address.host, port, group, answers)
                    let bound = channel.localAddress?.port ?? port
                    let own = Configuration.NetworkAddress(host: address.host, port: bound)
                    return ProbeServer(address: own, group: group, channel: channel, answers: answers)
                } catch let error as IOError where error.errnoCode == EADDRINUSE && port < last { continue }
            }
            preconditionFailure("the last port is listened on or an error")
        } catch {
            try? await group.shutdownGracefully()  // the first error is the one to report
            throw .listen(address: address.description, reason: SocketErrorText.words(error))
        }
    }

    private static func listen(
        _ host: String,
        _ port: Int,
        _ group: MultiThreadedEventLoopGroup,
        _ answers: ProbeAnswers
    ) async throws -> any Channel {
        let open = ConnectionCount()
        return try await ServerBootstrap(group: group)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .serverChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(AcceptPause())
                }
            }
            .childChannelInitializer { channel in
                guard open.add(most: connectionsMax) else { return channel.close() }
                channel.closeFuture.whenComplete { _ in open.remove() }
                return channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(IdleStateHandler(allTimeout: idleMax))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(ProbeHandler(answers: answers))
                }
            }
            .bind(host: host, port: port).get()
    }

    /// The event loop of the answering thread.
    var loop: any EventLoop { channel.eventLoop }

    /// Closes the address and its connections.
    func stop() async {
        try? await channel.close()  // it may be closed already
        try? await group.shutdownGracefully()  // the process ends anyway
    }
}

/// The source of answers.
///
/// May be used from any thread.
final class ProbeAnswers: Sendable {
    private let answering = Mutex<ProbeServer.Answering?>(nil)

    func use(_ answering: @escaping ProbeServer.Answering) {
        self.answering.withLock { $0 = answering }
    }

    func answer(_ path: String, on loop: any EventLoop) -> EventLoopFuture<ProbeAnswer> {
        if let answering = answering.withLock({ $0 }) { return answering(path, loop) }
        return loop.makeSucceededFuture(ProbeAnswer(status: .serviceUnavailable, text: "the worker starts\n"))
    }
}
