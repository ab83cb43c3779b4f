extension ConnectionPool {
    /// Names a connection for as long as the pool lives; never reused.
    public struct ConnectionID: Sendable, Hashable {
        /// Counts from 1.
        public let number: UInt32

        /// A name from its number.
        public init(number: UInt32) { self.number = number }
    }

    /// What the driver has to do.
    public enum Action: Sendable, Equatable {
        /// Open a connection to this one of the resolved addresses (modulo their number), then report
        /// `connectionEstablished` or `connectFailed`.
        case connect(ConnectionID, addressIndex: Int)
        /// Send a PING and report its acknowledgement.
        case ping(ConnectionID)
        /// Close the connection; streams that are still open end without an answer. The pool has forgotten it.
        case close(ConnectionID, CloseReason)
    }

    /// Why a connection is closed; a label for metrics and logs.
    public enum CloseReason: Sendable, Equatable {
        /// Drained after GOAWAY, age, a retirement or a shut-down: no stream was open.
        case drained
        /// Too many streams had no answer in time.
        case streamDeadlines
        /// A PING was not answered in time.
        case pingUnanswered
        /// TCP and TLS, or the first SETTINGS, took too long.
        case handshakeDeadline
    }

    /// The rules of one pool.
    public struct Configuration: Sendable {
        /// Streams of one connection at most, whatever the peer allows.
        public var streamsMax = 1000
        /// Connections at most, connecting ones included.
        ///
        /// Eight of a thousand streams carry 160,000 requests a second at answers of 50 ms.
        public var connectionsMax = 8
        /// APNs with tokens: one stream until a request of that connection was answered by somebody who had read the
        /// token.
        ///
        /// Off for certificate authentication.
        public var oneStreamUntilAuthenticated = false
        /// How long all streams must be taken before another connection is opened.
        public var growAfter: Duration = .milliseconds(100)
        /// TCP and TLS together.
        public var connectDeadline: Duration = .seconds(5)
        /// From TLS to the peer's first SETTINGS.
        public var settingsDeadline: Duration = .seconds(5)
        /// Silence after which a PING is sent.
        public var pingAfter: Duration = .seconds(60)
        /// Silence after a PING after which the connection is dead.
        public var pingDeadline: Duration = .seconds(10)
        /// A connection is replaced at this age (± 10 %), so that no imbalance lasts for ever.
        public var ageMax: Duration = .seconds(6 * 3600)
        /// Deadlines of streams within ``deadlineWindow`` that end a connection: a server counts resets as an attack.
        public var deadlinesMax = 3
        /// See ``deadlinesMax``.
        public var deadlineWindow: Duration = .seconds(60)
        /// First back-off after every address has failed; doubles, with jitter, up to ``backoffMax``.
        public var backoffBase: Duration = .milliseconds(250)
        /// The longest back-off.
        public var backoffMax: Duration = .seconds(30)
        /// Connection attempts that may follow each other at once; then one per ``connectInterval``.
        public var connectBurst = 8
        /// See ``connectBurst``.
        public var connectInterval: Duration = .seconds(1)

        /// The defaults.
        public init() {}
    }

    /// What the pool looks like from outside; for metrics and tests.
    public struct Snapshot: Sendable, Equatable {
        /// Connections whose TCP, TLS or first SETTINGS are not done.
        public var connecting = 0
        /// Connections that take streams.
        public var ready = 0
        /// Connections that only finish what they have.
        public var draining = 0
        /// Streams open on all of them.
        public var openStreams = 0
    }

    /// One connection as the pool sees it.
    struct Connection: Sendable {
        /// Where a connection is in its life; it leaves the pool from any state.
        enum Phase: Sendable, Equatable {
            /// TCP and TLS are under way. Can transition to: awaitingSettings.
            case connecting
            /// TLS is done, no SETTINGS yet: no stream may be opened. Can transition to: ready, draining.
            case awaitingSettings
            /// Takes streams up to its limits. Can transition to: draining.
            case ready
            /// No new stream; closed when the last one ends. Final.
            case draining
        }

        let id: ConnectionID
        var phase = Phase.connecting
        /// When the present phase ends badly, for those that have an end.
        var phaseDeadline: MonotonicInstant?
        /// What the peer's SETTINGS allow.
        var peerLimit = 0
        var openStreams = 0
        var isAuthenticated = false
        /// Any request of this connection was answered.
        var hasAnswered = false
        var retireAt: MonotonicInstant?
        var heardAt: MonotonicInstant
        var pingDeadline: MonotonicInstant?
        /// Deadlines of streams since `deadlinesSince`.
        var deadlines = 0
        var deadlinesSince: MonotonicInstant?
    }
}

/// A seeded random source (SplitMix64): jitter that a test can replay.
struct PoolRandom: Sendable {
    private var state: UInt64

    init(seed: UInt64) { self.state = seed }

    /// A number in 0 ..< 1.
    mutating func next() -> Double {
        self.state &+= 0x9E37_79B9_7F4A_7C15
        var mixed = self.state
        mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
        mixed ^= mixed >> 31
        return Double(mixed >> 11) / Double(1 << 53)
    }
}
