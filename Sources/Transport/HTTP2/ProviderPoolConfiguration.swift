public import Delivery

/// The address of a provider.
public struct HTTP2Endpoint: Sendable, Hashable, CustomStringConvertible {
    /// A DNS name or an IP address; the peer's certificate must carry it.
    public let host: String
    /// The TCP port.
    public let port: Int

    /// Creates an endpoint from its parts.
    public init(host: String, port: Int) {
        self.host = host
        self.port = port
    }

    /// `host:port`.
    public var description: String { "\(self.host):\(self.port)" }
}

/// The configuration of a ``ProviderPool``.
public struct ProviderPoolConfiguration: Sendable {
    /// Limits, deadlines and backoff of connections.
    public var connections = ConnectionPool.Configuration()
    /// The time that ``ProviderPool/close(_:)`` waits for answers.
    public var drainDeadline: Duration = .seconds(10)
    /// Resolves the host name, anew for each connection.
    public var resolver = AddressResolver.system
    /// The addresses that may be connected to; checked for each connection.
    public var scope = AddressScope.any
    /// The most bytes kept of an answer's body: an answer to a push is small, a list is not.
    public var answerBytesMax = 4096
    /// The seed of all jitter.
    public var seed: UInt64

    /// Creates the default configuration; `seed` should differ between pools, so that they do not reconnect in step.
    public init(seed: UInt64) { self.seed = seed }
}

/// The counts of a pool since it was created.
///
/// All of them only increase.
public struct ProviderPoolCounters: Sendable, Equatable {
    /// Connection attempts.
    public var connects: UInt64 = 0
    /// Connection attempts that failed.
    public var connectFailures: UInt64 = 0
    /// Connections that completed the TLS handshake.
    public var handshakes: UInt64 = 0
    /// Handshakes that resumed an earlier TLS session.
    public var resumptions: UInt64 = 0
    /// Connections that ended after the handshake, for any reason.
    public var connectionsEnded: UInt64 = 0
    /// Requests opened.
    public var opened: UInt64 = 0
    /// Requests that were answered.
    public var answered: UInt64 = 0
    /// Requests known not to have been processed.
    public var refused: UInt64 = 0
    /// Requests whose outcome is unknown, deadlines included.
    public var unknown: UInt64 = 0
    /// Requests without an answer in time.
    public var deadlines: UInt64 = 0
    /// GOAWAY frames received.
    public var goAways: UInt64 = 0
    /// Collapses of the stream limits: a connection fell to a tenth or less while no other had.
    ///
    /// ``Delivery/ConnectionPool/Snapshot/collapsed`` and `streamsAllowed` give the current state.
    public var limitCollapses: UInt64 = 0
    /// Requests of the provider to slow down (ENHANCE_YOUR_CALM).
    public var calmsAsked: UInt64 = 0
    /// Starts after ten seconds without a request that found a ready connection: handshakes saved.
    public var warmStarts: UInt64 = 0
    /// Starts that waited for a handshake.
    public var coldStarts: UInt64 = 0
    /// Times that slow or missing answers made the window of congestion smaller.
    public var windowCuts: UInt64 = 0
    /// Connections that refused their first stream.
    public var firstStreamRefusals: UInt64 = 0
    /// Bytes of ciphertext received.
    public var bytesReceived: UInt64 = 0
    /// Bytes of ciphertext sent.
    public var bytesSent: UInt64 = 0
    /// Ticks in which requests were opened or answers passed on.
    public var ticks: UInt64 = 0

    /// Creates counters at zero.
    public init() {}

    /// Adds the counts of another pool.
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
        self.warmStarts += other.warmStarts
        self.coldStarts += other.coldStarts
        self.windowCuts += other.windowCuts
        self.firstStreamRefusals += other.firstStreamRefusals
        self.bytesReceived += other.bytesReceived
        self.bytesSent += other.bytesSent
        self.ticks += other.ticks
    }
}
