import Delivery
import HTTP2
import Logging
import NIOCore
import NIOPosix
import TLS

/// Does what the state machine says.
extension ProviderPool {
    func run(_ actions: [ConnectionPool.Action]) {
        for action in actions {
            switch action {
            case .connect(let id, let addressIndex): self.connect(id, addressIndex: addressIndex)
            case .ping(let id): self.ping(id)
            case .close(let id, let reason): self.close(id, reason: reason)
            }
        }
    }

    private func ping(_ id: ConnectionPool.ConnectionID) {
        guard let connection = self.connections.first(where: { $0.id == id }) else { return }
        connection.http2.ping()
        connection.needsFlush = true
        self.scheduleTurn()
    }

    private func close(_ id: ConnectionPool.ConnectionID, reason: ConnectionPool.CloseReason) {
        guard let index = self.connections.firstIndex(where: { $0.id == id }) else { return }
        let connection = self.connections.remove(at: index)
        self.logger.debug(
            "closing a connection: \(reason)",
            metadata: ["http2.connection": "\(id.number)", "peer": "\(self.endpoint)"]
        )
        if reason == .handshakeDeadline {
            self.counters.connectFailures += 1
            self.source.connectionFailed(.handshakeDeadline)
        } else {
            self.counters.connectionsEnded += 1
        }
        self.endAll(of: connection, now: .now())
        connection.close()
        self.scheduleTurn()
    }

    private func connect(_ id: ConnectionPool.ConnectionID, addressIndex: Int) {
        self.counters.connects += 1
        if let until = self.addressesUntil, until > .now(), !self.addresses.isEmpty {
            return self.connect(id, to: self.addresses[addressIndex % self.addresses.count])
        }
        AddressResolver.resolve(host: self.endpoint.host, port: self.endpoint.port, on: self.loop)
            .assumeIsolated().whenComplete { result in
                switch result {
                case .success(let addresses):
                    self.addresses = addresses
                    self.addressesUntil = .now() + TimeAmount(self.configuration.addressAge)
                    self.machine.addressesResolved(addresses.count)
                    self.connect(id, to: addresses[addressIndex % addresses.count])
                case .failure(let error): self.connectFailed(id, .resolution("\(error)"))
                }
            }
    }

    private func connect(_ id: ConnectionPool.ConnectionID, to address: SocketAddress) {
        // The attempt's time may have run out during the look-up.
        guard self.machine.knows(id) else { return }
        let connection: ProviderConnection
        do {
            connection = try self.makeConnection(id)
        } catch {
            return self.connectFailed(id, .connect("\(error)"))
        }
        let bound = NIOLoopBound(connection, eventLoop: self.loop)
        self.connections.append(connection)
        ClientBootstrap(group: self.loop)
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            // 64 KB at a time, into memory that is used again.
            .channelOption(.recvAllocator, value: FixedSizeRecvByteBufferAllocator(capacity: 65_536))
            .channelOption(.writeBufferWaterMark, value: .init(low: 128 * 1024, high: 512 * 1024))
            .connectTimeout(TimeAmount(self.configuration.connections.connectDeadline))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    try channel.pipeline.syncOperations.addHandler(bound.value)
                }
            }
            .connect(to: address)
            .assumeIsolated().whenFailure { error in
                guard let index = self.connections.firstIndex(where: { $0 === connection }) else { return }
                self.connections.remove(at: index)
                self.connectFailed(id, .connect("\(address): \(error)"))
            }
    }

    private func makeConnection(_ id: ConnectionPool.ConnectionID) throws -> ProviderConnection {
        var sizes = HTTP2ClientSession.Configuration()
        sizes.streamsMax = self.configuration.connections.streamsMax
        return ProviderConnection(
            id: id,
            pool: self,
            tls: try TLSSession(client: self.tls, serverName: self.endpoint.host),
            http2: try HTTP2ClientSession(configuration: sizes)
        )
    }

    func connectFailed(_ id: ConnectionPool.ConnectionID, _ failure: ConnectionFailure) {
        self.counters.connectFailures += 1
        self.logger.info(
            "cannot connect: \(failure)",
            metadata: ["http2.connection": "\(id.number)", "peer": "\(self.endpoint)"]
        )
        // Look the name up again: the addresses may be what is wrong.
        self.addressesUntil = nil
        self.source.connectionFailed(failure)
        self.run(self.machine.connectFailed(id, now: NIODeadline.now().instant))
        self.scheduleTurn()
    }
}
