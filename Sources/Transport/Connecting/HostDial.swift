public import NIOCore
import NIOPosix

/// Opens TCP connections to a host that may have several addresses, to one of them at a time.
///
/// May be used from any thread.
public struct HostDial: Sendable {
    private let host: String
    private let port: Int
    private let loop: any EventLoop
    private let resolver: AddressResolver

    /// A dial of a name or an address, without brackets.
    public init(host: String, port: Int, loop: any EventLoop, resolver: AddressResolver = .fleet) {
        self.host = host
        self.port = port
        self.loop = loop
        self.resolver = resolver
    }

    /// A connection of the loop without any handler, made within `timeout`; fails as the last address did.
    ///
    /// Nothing is read from it before its `autoRead` is set, so that a far side that speaks first is heard by the
    /// handlers that are added meanwhile.
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
                    ClientBootstrap(group: loop)
                        .connectTimeout(share.socket)
                        .channelOption(.autoRead, value: false)
                        .connect(to: address).assumeIsolated().whenComplete(completion)
                },
                judge: { _ in .goOn },
                unresolved: { $0 }
            ).start { promise.completeWith($0) }
        }
        return promise.futureResult
    }
}
