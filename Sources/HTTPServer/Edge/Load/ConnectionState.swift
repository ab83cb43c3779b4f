import Delivery
import NIOCore

/// What the handlers of one connection know together; confined to its loop.
final class ConnectionState {
    let core: ServerCore
    let census: ConnectionCensus
    /// What the connection may hold and do.
    var budget = ConnectionBudget()
    /// What it holds.
    let held: HeldShare
    private let channel: any Channel
    private var known: Peer?

    /// `own` is what the connection takes before it says anything, in bytes.
    init(_ core: ServerCore, _ census: ConnectionCensus, own: Int, on channel: any Channel) {
        (self.core, self.census, self.channel) = (core, census, channel)
        held = HeldShare(core.load, own: own)
    }

    /// Who is at the other end, known for sure when the first request is there.
    var peer: Peer {
        if let known { return known }
        let peer = core.peers.peer(channel)
        known = peer
        if core.peers.isProxy(peer) { budget = ConnectionBudget(.proxy) }
        return peer
    }

    /// Whether the connection has been silent for too long.
    func isIdle(since: MonotonicInstant, now: MonotonicInstant) -> Bool {
        now.since(since) >= IdleRule.limit(budget.standing, isFull: census.isFull)
    }
}

extension MonotonicInstant {
    /// The present, of the loops' clock.
    static var now: MonotonicInstant {
        MonotonicInstant(nanoseconds: Int64(clamping: NIODeadline.now().uptimeNanoseconds))
    }
}
