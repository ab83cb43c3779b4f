import Delivery
import HummingbirdCore
import NIOCore
import Synchronization

/// Counts the connections of one address that is listened on, and says when there are too many; may be used from any
/// thread.
final class ConnectionCensus: Sendable {
    private let caps: Mutex<ConnectionCaps>
    private let load: EdgeLoad

    init(_ caps: ConnectionCaps, _ load: EdgeLoad) {
        self.caps = Mutex(caps)
        self.load = load
    }

    /// How many there are, and may be.
    var metrics: ConnectionCaps { caps.withLock { $0 } }

    /// Whether those who say nothing have to go sooner.
    var isFull: Bool { caps.withLock { $0.isFull } }

    /// A connection's address is known; false when it is to be closed, because there are too many of that address.
    func admit(_ address: ClientAddress, _ channel: any Channel) -> Bool {
        guard caps.withLock({ $0.named(address) }) == .accept else {
            load.refused(.addressConnections)
            return false
        }
        channel.closeFuture.whenComplete { _ in self.caps.withLock { $0.left(address) } }
        return true
    }

    /// Lets a server stop accepting while there is no room, so that connections wait in the kernel's queue and nothing
    /// spins.
    struct Delegate: AvailableConnectionsDelegate {
        let census: ConnectionCensus

        func connectionOpened() { census.caps.withLock { $0.opened() } }

        func connectionClosed() { census.caps.withLock { $0.closed() } }

        func isAcceptingNewConnections() -> Bool {
            let hasRoom = census.caps.withLock { $0.hasRoom }
            if !hasRoom { census.load.refused(.connections) }
            return hasRoom
        }
    }
}
