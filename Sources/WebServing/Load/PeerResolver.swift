package import Delivery
package import HTTPTypes
package import NIOCore
import Synchronization

/// The other end of a connection, or the client behind a trusted proxy.
package struct Peer: Sendable {
    /// The address for the log, without its port.
    package let text: String
    /// Nil without an address, such as for a local socket.
    package let address: ClientAddress?

    init(_ address: ClientAddress) { (text, self.address) = (address.description, address) }

    init(_ remote: SocketAddress?) {
        text = remote?.ipAddress ?? "local"
        address = remote?.ipAddress.flatMap { ClientAddress($0.prefix { $0 != "%" }) }
    }

    /// The name under which limits count the peer.
    package var bucket: String { address?.network.description ?? text }
}

/// Finds the client of a request: the other end of the connection, or the client that a trusted proxy names.
///
/// May be used from any thread.
package final class PeerResolver: Sendable {
    private static let forwarded = HTTPField.Name("Forwarded")
    private static let xForwardedFor = HTTPField.Name("X-Forwarded-For")

    private let trusted: TrustedProxies
    /// The clients of connections that began with the PROXY protocol's header.
    private let named = Mutex<[ObjectIdentifier: ClientAddress]>([:])

    init(_ trusted: TrustedProxies) { self.trusted = trusted }

    /// Returns true if a peer is a trusted proxy.
    func isProxy(_ peer: Peer) -> Bool { peer.address.map { trusted.contains($0) } ?? false }

    /// Records the client that a trusted proxy names for a connection.
    func name(_ channel: any Channel, _ client: ClientAddress) {
        let key = ObjectIdentifier(channel)
        named.withLock { $0[key] = client }
        channel.closeFuture.whenComplete { _ in self.named.withLock { _ = $0.removeValue(forKey: key) } }
    }

    /// Returns a connection's peer.
    package func peer(_ channel: any Channel) -> Peer {
        if !trusted.isEmpty, let client = named.withLock({ $0[ObjectIdentifier(channel)] }) { return Peer(client) }
        return Peer(channel.remoteAddress)
    }

    /// Returns the client of a request that arrived from `peer`.
    package func client(_ fields: HTTPFields, _ peer: Peer) -> Peer {
        guard !trusted.isEmpty, let address = peer.address, trusted.contains(address) else { return peer }
        func values(_ name: HTTPField.Name?) -> [String] {
            name.map { name in fields[fields: name].map(\.value) } ?? []
        }
        let client = ForwardedClient.address(
            peer: address,
            forwarded: values(Self.forwarded),
            xForwardedFor: values(Self.xForwardedFor),
            trusted: trusted
        )
        return client == address ? peer : Peer(client)
    }
}
