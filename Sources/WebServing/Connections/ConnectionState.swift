package import Delivery
import NIOCore

/// The state that one connection's handlers share; confined to its loop.
package final class ConnectionState {
    let server: ServerCore
    let limiter: ConnectionLimiter
    /// The connection's limits.
    package var budget = ConnectionBudget()
    /// The bytes that it holds.
    package let held: HeldShare
    private let channel: any Channel
    private var known: Peer?

    /// `own` is the connection's size before its first byte, in bytes.
    init(_ server: ServerCore, _ limiter: ConnectionLimiter, own: Int, on channel: any Channel) {
        (self.server, self.limiter, self.channel) = (server, limiter, channel)
        held = HeldShare(server.load, own: own)
    }

    /// The peer; final once the first request has arrived.
    package var peer: Peer {
        if let known { return known }
        let peer = server.peers.peer(channel)
        known = peer
        if server.peers.isProxy(peer) { budget = ConnectionBudget(.proxy) }
        return peer
    }

    /// Returns true if the connection has been silent for too long.
    package func isIdle(since: MonotonicInstant, now: MonotonicInstant) -> Bool {
        now.since(since) >= IdleRule.limit(budget.standing, isFull: limiter.isFull)
    }
}

extension MonotonicInstant {
    /// The present, by the loops' clock.
    package static var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    }
}
