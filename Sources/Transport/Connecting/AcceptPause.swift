import Delivery
import Glibc
public import NIOCore

/// Pauses a listening socket while it cannot accept, so that repeated failures do not occupy a whole core.
///
/// NIO keeps such a socket open and readable, and the reader of its connections would take the error for the socket's
/// end. The handler stands first in the socket's pipeline. Confined to its loop.
public final class AcceptPause: ChannelInboundHandler, RemovableChannelHandler {
    /// An accepted connection.
    public typealias InboundIn = any Channel
    /// An accepted connection.
    public typealias InboundOut = any Channel

    private let note: @Sendable (IOError) -> Void
    private var rest = AcceptCooldown()

    /// Creates a handler; `note` is called for each failure, on the loop.
    public init(_ note: @escaping @Sendable (IOError) -> Void = { _ in }) { self.note = note }

    /// Adds a handler to a listening socket's pipeline.
    public static func add(
        to channel: any Channel,
        _ note: @escaping @Sendable (IOError) -> Void = { _ in }
    ) async throws {
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(AcceptPause(note), position: .first)
        }.get()
    }

    /// Resets the pause after an accepted connection.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        rest.accepted()
        context.fireChannelRead(data)
    }

    /// Pauses the socket when accepting failed for lack of resources; passes on other errors.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        note(failure)
        // Fails only when the socket is closed.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(rest.failed())) { [channel = context.channel] in
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}
