import Delivery
import HTTPTypes
import NIOCore
import Synchronization

/// Who is at the other end of a connection, or behind the proxy that is.
struct Peer: Sendable {
    /// The address for the log, without its port.
    let text: String
    /// Nil where there is none, such as at a socket of this host's own.
    let address: ClientAddress?

    init(_ address: ClientAddress) { (text, self.address) = (address.description, address) }

    init(_ remote: SocketAddress?) {
        text = remote?.ipAddress ?? "local"
        address = remote?.ipAddress.flatMap { ClientAddress($0.prefix { $0 != "%" }) }
    }

    /// What limits count it as.
    var bucket: String { address?.network.description ?? text }
}

/// Knows who asks: the other end of the connection, unless that is a trusted proxy that says for whom.
///
/// May be used from any thread.
final class PeerBook: Sendable {
    private static let forwarded = HTTPField.Name("Forwarded")
    private static let xForwardedFor = HTTPField.Name("X-Forwarded-For")

    private let trusted: TrustedProxies
    /// The clients of connections that begin with the header of the PROXY protocol.
    private let named = Mutex<[ObjectIdentifier: ClientAddress]>([:])

    init(_ trusted: TrustedProxies) { self.trusted = trusted }

    /// Whether no proxy is trusted.
    var trustsNobody: Bool { trusted.isEmpty }

    /// Whether an end of a connection is a proxy whose word is believed.
    func isProxy(_ peer: Peer) -> Bool { peer.address.map { trusted.contains($0) } ?? false }

    /// A connection is a client's of whom a trusted proxy speaks.
    func name(_ channel: any Channel, _ client: ClientAddress) {
        let key = ObjectIdentifier(channel)
        named.withLock { $0[key] = client }
        channel.closeFuture.whenComplete { _ in self.named.withLock { _ = $0.removeValue(forKey: key) } }
    }

    /// The end of a connection.
    func peer(_ channel: any Channel) -> Peer {
        if !trusted.isEmpty, let client = named.withLock({ $0[ObjectIdentifier(channel)] }) { return Peer(client) }
        return Peer(channel.remoteAddress)
    }

    /// Who a request is of that came from an end.
    func client(_ fields: HTTPFields, _ peer: Peer) -> Peer {
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
