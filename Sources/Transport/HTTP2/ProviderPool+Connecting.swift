import Delivery
import HTTP2
import Logging
import NIOCore
import NIOPosix
import TLS

/// Executes the state machine's commands.
extension ProviderPool {
    func run(_ actions: [ConnectionPool.Action]) {
        for action in actions {
            switch action {
            case .connect(let id): self.connect(id)
            case .ping(let id): self.ping(id)
            case .close(let id, let reason): self.close(id, reason: reason)
            }
        }
    }

    private func ping(_ id: ConnectionPool.ConnectionID) {
        guard let connection = self.connections.first(where: { $0.id == id }) else { return }
        connection.http2.ping()
        connection.needsFlush = true
        self.scheduleTick()
    }

    private func close(_ id: ConnectionPool.ConnectionID, reason: ConnectionPool.CloseReason) {
        guard let index = self.connections.firstIndex(where: { $0.id == id }) else { return }
        let connection = self.connections.remove(at: index)
        self.logger.debug(
            "closing a connection: \(reason)",
            metadata: ["http2.connection": "\(id.number)", "peer": "\(self.endpoint)"]
        )
        self.endAll(of: connection, now: .now())
        switch reason {
        case .handshakeDeadline:
            self.counters.connectFailures += 1
            self.source.connectionFailed(.handshakeDeadline)
        case .drained: self.counters.connectionsEnded += 1
        case .streamDeadlines, .pingUnanswered, .flooded:
            self.counters.connectionsEnded += 1
            if !connection.hasAnswered {
                self.source.connectionFailed(.connect("left before any answer: \(reason)"))
            }
        }
        connection.close()
        self.scheduleTick()
    }

    private func connect(_ id: ConnectionPool.ConnectionID) {
        self.counters.connects += 1
        let endpoint = self.endpoint
        self.configuration.resolver.resolve(endpoint.host, endpoint.port, self.loop)
            .assumeIsolated().whenComplete { result in
                switch result {
                case .success(let addresses) where addresses.isEmpty:
                    self.resolutionFailed(id, .resolution("\(endpoint.host) has no address"))
                case .success(let addresses):
                    let scope = self.configuration.scope
                    let allowed = addresses.filter { scope.allows($0.networkBytes) }
                    if allowed.isEmpty {
                        self.resolutionFailed(id, .outOfScope("\(endpoint.host) has no \(scope) address"))
                    } else {
                        self.connect(id, among: allowed)
                    }
                case .failure(let error): self.resolutionFailed(id, .resolution(SocketErrorText.words(error)))
                }
            }
    }

    private func connect(_ id: ConnectionPool.ConnectionID, among addresses: [SocketAddress]) {
        let names = addresses.map { ConnectionPool.Address($0.ipAddress ?? "\($0)") }
        // Nil if the attempt's time ran out during the look-up.
        guard let chosen = self.machine.address(for: id, among: names, now: NIODeadline.now().instant) else { return }
        self.connect(id, to: addresses[chosen])
    }

    private func connect(_ id: ConnectionPool.ConnectionID, to address: SocketAddress) {
        guard DescriptorReserve.isThere else {
            return self.connectFailed(id, .connect("\(address): the process may open no more files"))
        }
        let connection: ProviderConnection
        do {
            connection = try self.makeConnection(id)
        } catch {
            return self.connectFailed(id, .connect(SocketErrorText.words(error)))
        }
        let bound = NIOLoopBound(connection, eventLoop: self.loop)
        self.connections.append(connection)
        self.loop.openChannel(
            to: address,
            timeout: TimeAmount(self.configuration.connections.connectDeadline),
            options: Self.socketOptions,
            initializer: { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
        )
        .assumeIsolated().whenFailure { error in
            guard let index = self.connections.firstIndex(where: { $0 === connection }) else { return }
            self.connections.remove(at: index)
            self.connectFailed(id, .connect("\(address): \(SocketErrorText.words(error))"))
        }
    }

    private static func socketOptions(_ bootstrap: ClientBootstrap) -> ClientBootstrap {
        bootstrap
            .channelOption(.tcpOption(.tcp_nodelay), value: 1)
            // 64 KB at a time, into memory that is reused.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .channelOption(.writeBufferWaterMark, value: .init(low: 128 * 1024, high: 512 * 1024))
    }

    private func makeConnection(_ id: ConnectionPool.ConnectionID) throws -> ProviderConnection {
        var sizes = HTTP2ClientSession.Configuration()
        sizes.streamsMax = self.configuration.connections.streamsMax
        sizes.bodyBytesMax = self.configuration.answerBytesMax
        return ProviderConnection(
            id: id,
            pool: self,
            tls: try self.tls.map {
                try TLSSession(client: $0, serverName: self.endpoint.host, resumption: self.resumption)
            },
            http2: try HTTP2ClientSession(configuration: sizes)
        )
    }

    func connectFailed(_ id: ConnectionPool.ConnectionID, _ failure: ConnectionFailure) {
        self.note(failure, of: id)
        self.run(self.machine.connectFailed(id, now: NIODeadline.now().instant))
        self.scheduleTick()
    }

    private func resolutionFailed(_ id: ConnectionPool.ConnectionID, _ failure: ConnectionFailure) {
        self.note(failure, of: id)
        self.run(self.machine.resolutionFailed(id, now: NIODeadline.now().instant))
        self.scheduleTick()
    }

    private func note(_ failure: ConnectionFailure, of id: ConnectionPool.ConnectionID) {
        self.counters.connectFailures += 1
        self.logger.info(
            "cannot connect: \(failure)",
            metadata: ["http2.connection": "\(id.number)", "peer": "\(self.endpoint)"]
        )
        self.source.connectionFailed(failure)
    }
}
