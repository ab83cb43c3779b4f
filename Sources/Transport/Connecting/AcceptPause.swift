import Delivery
import Glibc
public import NIOCore

/// Lets an address that is listened on rest while it cannot accept, instead of failing again and again on a whole core.
///
/// NIO keeps such an address open and ready, and whoever reads its connections would take the error for the address' end.
/// Stands first in the pipeline of the address. Confined to its loop.
public final class AcceptPause: ChannelInboundHandler, RemovableChannelHandler {
    /// A connection that was accepted.
    public typealias InboundIn = any Channel
    /// The same.
    public typealias InboundOut = any Channel

    private let note: @Sendable (IOError) -> Void
    private var rest = AcceptCooldown()

    /// `note` hears of each failure, on the loop.
    public init(_ note: @escaping @Sendable (IOError) -> Void = { _ in }) { self.note = note }

    /// Has an address that is listened on rest from now on.
    public static func add(
        to channel: any Channel,
        _ note: @escaping @Sendable (IOError) -> Void = { _ in }
    ) async throws {
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(AcceptPause(note), position: .first)
        }.get()
    }

    /// A connection was accepted.
    public func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        rest.accepted()
        context.fireChannelRead(data)
    }

    /// Accepting failed, or something else did.
    public func errorCaught(context: ChannelHandlerContext, error: any Error) {
        guard let failure = error as? IOError, [EMFILE, ENFILE, ENOBUFS, ENOMEM].contains(failure.errnoCode) else {
            return context.fireErrorCaught(error)
        }
        note(failure)
        // Fails only when the address is closed.
        try? context.channel.syncOptions?.setOption(.autoRead, value: false)
        context.eventLoop.assumeIsolated().scheduleTask(in: TimeAmount(rest.failed())) { [channel = context.channel] in
            try? channel.syncOptions?.setOption(.autoRead, value: true)
        }
    }
}
