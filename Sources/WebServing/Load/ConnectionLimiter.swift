package import Delivery
import HummingbirdCore
import NIOCore
import Synchronization

/// Counts the connections of one listening address and limits them; may be used from any thread.
package final class ConnectionLimiter: Sendable {
    private let caps: Mutex<ConnectionCaps>
    private let load: ProcessLoad

    package init(_ caps: ConnectionCaps, _ load: ProcessLoad) {
        self.caps = Mutex(caps)
        self.load = load
    }

    /// The current connections and their limits.
    package var metrics: ConnectionCaps { caps.withLock { $0 } }

    /// True while silent connections have to close sooner.
    var isFull: Bool { caps.withLock { $0.isFull } }

    /// Counts a connection by its address; returns false when the address has too many, for the caller to close it.
    func admit(_ address: ClientAddress, _ channel: any Channel) -> Bool {
        guard caps.withLock({ $0.named(address) }) == .accept else {
            load.refused(.addressConnections)
            return false
        }
        channel.closeFuture.whenComplete { _ in self.caps.withLock { $0.left(address) } }
        return true
    }

    /// Stops a server from accepting while there is no room: connections wait in the kernel's queue, and nothing spins.
    struct Delegate: AvailableConnectionsDelegate {
        let limiter: ConnectionLimiter

        func connectionOpened() { limiter.caps.withLock { $0.opened() } }

        func connectionClosed() { limiter.caps.withLock { $0.closed() } }

        func isAcceptingNewConnections() -> Bool {
            let hasRoom = limiter.caps.withLock { $0.hasRoom }
            if !hasRoom { limiter.load.refused(.connections) }
            return hasRoom
        }
    }
}
