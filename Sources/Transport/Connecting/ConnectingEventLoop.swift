public import NIOCore
import NIOPosix

/// An event loop that opens connections itself, to a network of its own.
///
/// A loop of the operating system's sockets is none: ``ClientBootstrap`` opens them. Whoever hands a loop to a driver
/// so decides which network it speaks to. That network is in the process's memory, so connections to providers leave
/// out TLS; nothing else in the driver differs.
public protocol ConnectingEventLoop: EventLoop {
    /// Opens a connection to an address within `timeout`; the initializer runs on the loop, before the channel is
    /// active.
    func connect(
        to address: SocketAddress,
        timeout: TimeAmount,
        initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel>
}

extension EventLoop {
    /// True if its connections leave the process.
    var isOnSharedNetwork: Bool { !(self is any ConnectingEventLoop) }

    /// Opens a TCP connection on this loop: its own way, or through a bootstrap with `options`.
    func openChannel(
        to address: SocketAddress,
        timeout: TimeAmount,
        options: (ClientBootstrap) -> ClientBootstrap,
        initializer: @escaping @Sendable (any Channel) -> EventLoopFuture<Void>
    ) -> EventLoopFuture<any Channel> {
        if let loop = self as? any ConnectingEventLoop {
            return loop.connect(to: address, timeout: timeout, initializer: initializer)
        }
        return options(ClientBootstrap(group: self))
            .connectTimeout(timeout)
            .channelInitializer(initializer)
            .connect(to: address)
    }
}
