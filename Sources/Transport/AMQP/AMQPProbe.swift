import AMQP
public import NIOCore
import TLS

/// The message and consumer counts of a queue.
public struct QueueCounts: Sendable, Equatable {
    /// The number of ready messages; messages that a consumer holds do not count.
    public var ready: UInt32
    /// The number of consumers of all workers.
    public var consumers: UInt32

    /// Creates counts.
    public init(ready: UInt32, consumers: UInt32) {
        self.ready = ready
        self.consumers = consumers
    }
}

/// Asks for queues on a connection of its own, so that a missing queue, which closes the channel, disturbs nobody.
///
/// Confined to its event loop. It connects at the first question and keeps the connection. Do not probe on the
/// connection that publishes: a broker in alarm answers nothing there.
public final class AMQPProbe {
    private let loop: any EventLoop
    private let endpoint: AMQPEndpoint
    private let name: String
    private var hosts: [AMQPEndpoint.Host]
    private var connection: AMQPConnection?
    private var connecting: [(Result<AMQPConnection, AMQPConnectError>) -> Void] = []
    private var isClosed = false

    /// Creates a probe for this endpoint; `name` is the name that operators see in the broker's list of connections.
    public init(loop: any EventLoop, endpoint: AMQPEndpoint, name: String) {
        self.loop = loop
        self.endpoint = endpoint
        self.name = name
        hosts = endpoint.hosts.shuffled()
    }

    /// Asks for the ready messages and consumers of a queue, nil when there is none; completes once, on the loop.
    public func counts(of queue: String, completion: @escaping (Result<QueueCounts?, AMQPConnectError>) -> Void) {
        connected { result in
            switch result {
            case .failure(let error): completion(.failure(error))
            case .success(let connection):
                connection.call(.checkQueue(name: queue)) { completion(Self.counts($0)) }
            }
        }
    }

    static func counts(_ result: Result<AMQPReply, AMQPConnectError>) -> Result<QueueCounts?, AMQPConnectError> {
        switch result {
        case .success(.queue(_, let messages, let consumers)):
            .success(QueueCounts(ready: messages, consumers: consumers))
        case .success: .success(nil)
        case .failure(let error) where error.kind == .channelClosed(404): .success(nil)
        case .failure(let error): .failure(error)
        }
    }

    /// Closes the connection, if there is one.
    public func close(completion: @escaping () -> Void) {
        loop.preconditionInEventLoop()
        isClosed = true
        guard let connection else { return completion() }
        self.connection = nil
        connection.close(completion: completion)
    }

    private func connected(_ use: @escaping (Result<AMQPConnection, AMQPConnectError>) -> Void) {
        loop.preconditionInEventLoop()
        guard !isClosed else { return use(.failure(AMQPConnectError(.closed, "closed"))) }
        if let connection { return use(.success(connection)) }
        connecting.append(use)
        guard connecting.count == 1 else { return }
        do throws(AMQPConnectError) {
            let tls = try endpoint.makeTLSContext()
            hosts.append(hosts.removeFirst())
            let settings = endpoint.settings(
                host: hosts[0],
                name: name,
                confirms: false,
                tls: tls,
                reopensChannel: true
            )
            AMQPConnection.connect(loop: loop, settings: settings) { [weak self] in self?.connected($0) }
        } catch {
            connected(.failure(error))
        }
    }

    private func connected(_ result: Result<AMQPConnection, AMQPConnectError>) {
        if case .success(let connection) = result {
            self.connection = connection
            connection.onEnd = { [weak self] _ in self?.connection = nil }
        }
        let users = connecting
        connecting = []
        for use in users { use(result) }
    }
}
