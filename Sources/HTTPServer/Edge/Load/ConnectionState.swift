import Delivery
import NIOCore

/// The state that one connection's handlers share; confined to its loop.
final class ConnectionState {
    let core: ServerCore
    let census: ConnectionCensus
    /// The connection's limits.
    var budget = ConnectionBudget()
    /// The bytes that it holds.
    let held: HeldShare
    private let channel: any Channel
    private var known: Peer?

    /// `own` is the connection's size before its first byte, in bytes.
    init(_ core: ServerCore, _ census: ConnectionCensus, own: Int, on channel: any Channel) {
        (self.core, self.census, self.channel) = (core, census, channel)
        held = HeldShare(core.load, own: own)
    }

    /// The peer; final once the first request has arrived.
    var peer: Peer {
        if let known { return known }
        let peer = core.peers.peer(channel)
        known = peer
        if core.peers.isProxy(peer) { budget = ConnectionBudget(.proxy) }
        return peer
    }

    /// Returns true if the connection has been silent for too long.
    func isIdle(since: MonotonicInstant, now: MonotonicInstant) -> Bool {
        now.since(since) >= IdleRule.limit(budget.standing, isFull: census.isFull)
    }
}

extension MonotonicInstant {
    /// The present, by the loops' clock.
    static var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    }
}
