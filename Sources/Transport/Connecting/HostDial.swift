public import NIOCore

/// Opens TCP connections to a host that may have several addresses, trying one at a time.
///
/// May be used from any thread.
public struct HostDial: Sendable {
    private let host: String
    private let port: Int
    private let loop: any EventLoop
    private let resolver: AddressResolver

    /// Creates a dialer for a name, or an address without brackets.
    public init(host: String, port: Int, loop: any EventLoop, resolver: AddressResolver = .fleet) {
        self.host = host
        self.port = port
        self.loop = loop
        self.resolver = resolver
    }

    /// Opens a connection on the loop within `timeout`, without any handler; fails with the last address's error.
    ///
    /// Nothing is read before its `autoRead` is set, so that handlers added meanwhile see a peer's first bytes.
    public func connect(timeout: TimeAmount) -> EventLoopFuture<any Channel> {
        let promise = loop.makePromise(of: (any Channel).self)
        loop.execute {
            let destination = AddressWalk<any Channel, any Error>.Destination(
                host: host,
                port: port,
                resolver: resolver,
                timeout: timeout
            )
            AddressWalk<any Channel, any Error>(
                destination,
                loop: loop,
                attempt: { address, share, completion in
                    loop.openChannel(to: address, timeout: share.socket, options: { $0 }) { channel in
                        channel.setOption(.autoRead, value: false)
                    }.assumeIsolated().whenComplete(completion)
                },
                judge: { _ in .goOn },
                unresolved: { $0 }
            ).start { promise.completeWith($0) }
        }
        return promise.futureResult
    }
}
