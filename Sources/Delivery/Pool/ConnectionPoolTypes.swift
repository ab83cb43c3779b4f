extension ConnectionPool {
    /// The name of a connection for the life of the pool; never reused.
    public struct ConnectionID: Sendable, Hashable {
        /// The number, counted from 1.
        public let number: UInt32

        /// A name from its number.
        public init(number: UInt32) { self.number = number }
    }

    /// A task for the driver.
    public enum Action: Sendable, Equatable {
        /// Look the host name up, let ``ConnectionPool/address(for:among:now:)`` choose the address, and connect to it;
        /// then report `connectionEstablished`, `connectFailed` or `resolutionFailed`.
        case connect(ConnectionID)
        /// Send a PING and report its acknowledgement.
        case ping(ConnectionID)
        /// Close the connection, which the pool has forgotten; streams that are still open end without an answer.
        case close(ConnectionID, CloseReason)
    }

    /// The reason for closing a connection.
    public enum CloseReason: Sendable, Equatable, CustomStringConvertible {
        /// Drained after GOAWAY, age, a retirement or a shut-down: no stream was open.
        case drained
        /// Too many streams had no answer in time.
        case streamDeadlines
        /// A PING was not answered in time.
        case pingUnanswered
        /// TCP and TLS, or the first SETTINGS, took too long.
        case handshakeDeadline
        /// More control frames (SETTINGS, PING) than any server needs.
        case flooded

        /// The reason for the log.
        public var description: String {
            switch self {
            case .drained: "its last stream has ended"
            case .streamDeadlines: "too many streams had no answer in time"
            case .pingUnanswered: "a PING was not answered in time"
            case .handshakeDeadline: "the handshake took too long"
            case .flooded: "the peer sent more control frames than any server needs"
            }
        }
    }

    /// An address of the endpoint; equal names are the same address, in whatever order a look-up gives them.
    public struct Address: Sendable, Hashable {
        /// The driver's name for the address.
        public let name: String

        /// An address by name.
        public init(_ name: String) { self.name = name }
    }

    /// The effect of SETTINGS on the pool as a whole; for one line in the log.
    public enum LimitChange: Sendable, Equatable {
        /// The first connection fell to a tenth or less of the streams that it was allowed before.
        case collapsed(from: Int, to: Int)
        /// No connection is collapsed any more.
        case recovered(to: Int)
    }

    /// The pool's state as seen from outside; for metrics and tests.
    public struct Snapshot: Sendable, Equatable {
        /// The connections whose TCP, TLS or first SETTINGS are not done.
        public var connecting = 0
        /// The connections that take streams.
        public var ready = 0
        /// The connections that only finish their open streams.
        public var draining = 0
        /// The streams open on all of them.
        public var openStreams = 0
        /// The streams that the ready connections may have open at once, by the peer's SETTINGS and our own limits.
        ///
        /// The window of congestion is left out: it changes with every answer, and this bounds what a kill repeats.
        public var streamsAllowed = 0
        /// The ready connections whose limit the peer has cut to a tenth or less.
        public var collapsed = 0
        /// The ready connections without a request: the next one need not wait for a handshake.
        public var warm = 0
        /// The streams that the window of congestion allows all connections together (``CongestionWindow``).
        public var window = 0
        /// The limit for each connection while the peer wants us to be calm; nil if it does not.
        public var calmLimit: Int?

        /// No connections.
        public init() {}
    }

    /// The starts: requests that came when none had been opened for ten seconds.
    public struct Starts: Sendable, Equatable {
        /// Starts that found a ready connection.
        public var warm: UInt64 = 0
        /// Starts that waited for a handshake.
        public var cold: UInt64 = 0

        /// No start.
        public init() {}
    }

    /// The peer's request to slow down (ENHANCE_YOUR_CALM).
    struct Calm: Sendable {
        /// The largest number of streams of each connection.
        var limit: Int
        var askedAt: MonotonicInstant
        /// The instant at which the limit is doubled.
        var raiseAt: MonotonicInstant
    }

    /// The number of streams after which the peer ended a connection in good order.
    struct Lifetime: Sendable {
        var streams: Int
        /// True if two consecutive connections ended like that.
        var isKnown: Bool
    }

    /// An address that failed.
    struct Trouble: Sendable {
        var failures: Int
        var until: MonotonicInstant
    }

    /// One connection as the pool sees it.
    struct Connection: Sendable {
        /// The phase of a connection's life; it may leave the pool from any phase.
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
        /// True if it replaces a connection that served and retired in good order.
        var isReplacement = false
        /// True if it takes no more streams although nothing went wrong.
        var isLeavingInGoodOrder = false
        /// True if its answers have paid for its replacement.
        var hasEarned = false
        /// True if its replacement was opened before it left, so that it earns none.
        var isReplaced = false
        /// True if the peer sent GOAWAY and named its last stream.
        var isLifetimeConfirmed = false
        /// The address; nil until the name was looked up.
        var address: Address?
        /// The deadline of the present phase, if it has one.
        var phaseDeadline: MonotonicInstant?
        /// The streams that the peer's SETTINGS allow, and the most that they ever allowed.
        var peerLimit = 0
        var peerLimitBest = 0
        var openStreams = 0
        /// The streams opened since the connection was made.
        var streamsUsed = 0
        /// The instant at which streams were last opened.
        var openedAt: MonotonicInstant?
        /// The instant of its last use: the latest streams, or the handshake before the first ones.
        var usedAt: MonotonicInstant
        /// The instant since which streams have been open without a break.
        var busySince: MonotonicInstant?
        var isAuthenticated = false
        /// The requests of this connection that were answered.
        var answers = 0
        var retireAt: MonotonicInstant?
        var heardAt: MonotonicInstant
        var pingDeadline: MonotonicInstant?
        /// The missed stream deadlines since `deadlinesSince`.
        var deadlines = 0
        var deadlinesSince: MonotonicInstant?
        /// The control frames that may still come, as of `controlFramesAt`.
        var controlFramesLeft: Double
        var controlFramesAt: MonotonicInstant

        init(id: ConnectionID, configuration: Configuration, now: MonotonicInstant) {
            self.id = id
            self.heardAt = now
            self.usedAt = now
            self.phaseDeadline = now.advanced(by: configuration.connectDeadline)
            self.controlFramesLeft = Double(configuration.controlFrameBurst)
            self.controlFramesAt = now
        }

        var hasAnswered: Bool { self.answers > 0 }

        /// True if it takes streams, but a tenth or less of its former number.
        var isCollapsed: Bool {
            self.phase == .ready && self.peerLimitBest >= 10 && self.peerLimit <= self.peerLimitBest / 10
        }
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
