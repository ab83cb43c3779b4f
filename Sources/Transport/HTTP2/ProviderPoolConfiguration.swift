public import Delivery

/// Where a provider is.
public struct HTTP2Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name or an IP address; the peer's certificate must carry it.
    public let host: String
    /// The TCP port.
    public let port: Int

    /// An endpoint from its parts.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `host:port`.
    public var description: String { "\(self.host):\(self.port)" }
}

/// The rules of a ``ProviderPool``.
public struct ProviderPoolConfiguration: Sendable {
    /// Limits, deadlines and back-off of connections.
    public var connections = ConnectionPool.Configuration()
    /// How long a request may take; after that its outcome is unknown.
    ///
    /// Kept to within a twentieth of it.
    public var streamDeadline: Duration = .seconds(10)
    /// How long ``ProviderPool/close(_:)`` waits for answers.
    public var drainDeadline: Duration = .seconds(10)
    /// Looks the host name up, anew for each connection.
    public var resolver = AddressResolver.system
    /// Which of its addresses may be connected to; asked anew for each connection.
    public var reach = AddressReach.any
    /// Decides all jitter.
    public var seed: UInt64

    /// The defaults; `seed` should differ between pools, so that they do not reconnect in step.
    public init(seed: UInt64) { self.seed = seed }
}

/// What a pool has done since it was made.
///
/// All of it counts up.
public struct ProviderPoolCounters: Sendable, Equatable {
    /// Attempts to connect.
    public var connects: UInt64 = 0
    /// Attempts that failed.
    public var connectFailures: UInt64 = 0
    /// Connections that reached TLS.
    public var handshakes: UInt64 = 0
    /// Of them those that resumed an earlier TLS session.
    public var resumptions: UInt64 = 0
    /// Connections that ended after TLS, for whatever reason.
    public var connectionsEnded: UInt64 = 0
    /// Requests opened.
    public var opened: UInt64 = 0
    /// Requests answered.
    public var answered: UInt64 = 0
    /// Requests known not to have been processed.
    public var refused: UInt64 = 0
    /// Requests whose outcome is unknown, deadlines included.
    public var unknown: UInt64 = 0
    /// Requests that had no answer in time.
    public var deadlines: UInt64 = 0
    /// GOAWAY frames received.
    public var goAways: UInt64 = 0
    /// Times that the stream limits collapsed: a connection fell to a tenth or less, and no other had.
    ///
    /// ``Delivery/ConnectionPool/Snapshot/collapsed`` and `streamsAllowed` say how things stand.
    public var limitCollapses: UInt64 = 0
    /// Times that the provider asked for calm (ENHANCE_YOUR_CALM).
    public var calmsAsked: UInt64 = 0
    /// Connections that refused their first stream.
    public var firstStreamRefusals: UInt64 = 0
    /// Ciphertext received.
    public var bytesReceived: UInt64 = 0
    /// Ciphertext sent.
    public var bytesSent: UInt64 = 0
    /// Times that requests were opened or answers sent on.
    public var turns: UInt64 = 0

    /// No counts yet.
    public init() {}

    /// Counts what another pool has done as well.
    public mutating func add(_ other: ProviderPoolCounters) {
        self.connects += other.connects
        self.connectFailures += other.connectFailures
        self.handshakes += other.handshakes
        self.resumptions += other.resumptions
        self.connectionsEnded += other.connectionsEnded
        self.opened += other.opened
        self.answered += other.answered
        self.refused += other.refused
        self.unknown += other.unknown
        self.deadlines += other.deadlines
        self.goAways += other.goAways
        self.limitCollapses += other.limitCollapses
        self.calmsAsked += other.calmsAsked
        self.firstStreamRefusals += other.firstStreamRefusals
        self.bytesReceived += other.bytesReceived
        self.bytesSent += other.bytesSent
        self.turns += other.turns
    }
}
