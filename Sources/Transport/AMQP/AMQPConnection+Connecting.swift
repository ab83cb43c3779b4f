import NIOCore

extension AMQPConnection {
    /// Connects and logs in at the first address of the host that accepts; `completion` is called once, on the loop.
    ///
    /// Each try is a new connection with its own session and login.
    static func connect(
        loop: any EventLoop,
        settings: Setting,
        completion: @escaping (Result<AMQPConnection, AMQPConnectError>) -> Void
    ) {
        let host = settings.host
        AddressWalk<AMQPConnection, AMQPConnectError>(
            .init(host: host.name, port: host.port, resolver: settings.resolver, timeout: settings.timeout),
            loop: loop,
            attempt: { AMQPConnection(loop: loop, settings: settings).open($0, $1, completion: $2) },
            judge: { $0.verdict },
            unresolved: { .unreachable(host, $0) }
        ).start(completion: completion)
    }
}

extension AMQPConnectError {
    /// The consequence of a failure at one address for the host's other addresses.
    fileprivate var verdict: AddressWalk<AMQPConnection, AMQPConnectError>.Verdict {
        switch kind {
        case .wrongPassword, .virtualHost, .configuration, .closed: .stop
        case .unreachable: .goOn
        case .tls, .notAMQP, .lost, .heartbeatMissed, .channelClosed, .connectionClosed: .goOnTelling
        }
    }
}
