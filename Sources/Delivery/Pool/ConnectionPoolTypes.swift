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
        /// Look the host name up, ask ``ConnectionPool/address(for:among:now:)`` which address to connect to, then
        /// report `connectionEstablished`, `connectFailed` or `resolutionFailed`.
        case connect(ConnectionID)
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
        /// More control frames (SETTINGS, PING) than any server needs.
        case flooded
    }

    /// An address of the endpoint; equal names are the same address, in whatever order a look-up gives them.
    public struct Address: Sendable, Hashable {
        /// What the driver calls it.
        public let name: String

        /// An address by name.
        public init(_ name: String) { self.name = name }
    }

    /// What SETTINGS did to the pool as a whole; for one line in the log.
    public enum LimitChange: Sendable, Equatable {
        /// The first connection fell to a tenth of the streams that it was allowed before, or less.
        case collapsed(from: Int, to: Int)
        /// No connection is collapsed any more.
        case recovered(to: Int)
    }

    /// The rules of one pool.
    public struct Configuration: Sendable {
        /// Streams of one connection at most, whatever the peer allows.
        public var streamsMax = 1000
        /// Connections at most, connecting ones included.
        ///
        /// Each of a thousand streams carries 20,000 requests a second at answers of 50 ms, so that these are more
        /// than one loop can use; a busy loop opens none.
        public var connectionsMax = 32
        /// APNs with tokens: one stream until a request of that connection was answered by somebody who had read the
        /// token.
        ///
        /// Off for certificate authentication.
        public var oneStreamUntilAuthenticated = false
        /// Streams of one connection in its whole life; then it is replaced.
        ///
        /// A client's stream ids are the odd numbers up to 2³¹ − 1 (RFC 9113, 5.1.1), so there are 2³⁰ of them.
        public var streamsPerConnectionMax = 1_000_000_000
        /// A connection opens streams when this share of them is free (8: an eighth), or after ``openPause``.
        public var openShare = 8
        /// How long a connection of which few streams are free waits for more at most.
        public var openPause: Duration = .milliseconds(4)
        /// How long all streams (but few) must be taken before another connection is opened.
        public var growAfter: Duration = .milliseconds(100)
        /// TCP and TLS together.
        public var connectDeadline: Duration = .seconds(5)
        /// From TLS to the peer's first SETTINGS.
        public var settingsDeadline: Duration = .seconds(5)
        /// Silence of an idle connection after which a PING is sent.
        public var pingAfter: Duration = .seconds(60)
        /// Silence of a connection with open streams after which a PING is sent: tells a slow peer from a dead one.
        ///
        /// With ``pingDeadline`` a dead connection is left nine seconds after its last word.
        public var pingAfterBusy: Duration = .seconds(4)
        /// Silence after a PING after which the connection is dead.
        public var pingDeadline: Duration = .seconds(5)
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
        /// A connection that is left in good order after so many answers has paid for the attempt that replaces it.
        ///
        /// Else a peer that says GOAWAY after every thousand streams would hold us down to a thousand a second; a
        /// peer that gives fewer answers a connection is still rationed.
        public var answersPerAttempt = 500
        /// How long an address is the last choice after a connection to it failed.
        public var addressCooldown: Duration = .seconds(60)
        /// ENHANCE_YOUR_CALM within this time of another is the same request to slow down: a thousand streams may
        /// be reset at once.
        public var calmInterval: Duration = .seconds(1)
        /// After this time without ENHANCE_YOUR_CALM twice as many streams are opened again.
        public var calmRaiseAfter: Duration = .seconds(10)
        /// Control frames of a peer that are endured at once; see ``controlFramesPerSecond``.
        public var controlFrameBurst = 1000
        /// Control frames of a peer that are endured for ever.
        public var controlFramesPerSecond = 100

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
        /// Streams that the ready connections may have open at once, by the peer's SETTINGS and our own limits.
        public var streamsAllowed = 0
        /// Ready connections whose limit the peer has cut to a tenth or less.
        public var collapsed = 0
        /// Streams of a connection while the peer wants us to be calm; nil when it does not.
        public var calmLimit: Int?

        /// No connections.
        public init() {}
    }

    /// The peer asked us to slow down (ENHANCE_YOUR_CALM).
    struct Calm: Sendable {
        /// Streams of each connection at most.
        var limit: Int
        var askedAt: MonotonicInstant
        /// When the limit is doubled.
        var raiseAt: MonotonicInstant
    }

    /// After how many streams the peer ended a connection in good order.
    struct Lifetime: Sendable {
        var streams: Int
        /// Two in a row were ended so.
        var isKnown: Bool
    }

    /// An address that did not serve.
    struct Trouble: Sendable {
        var failures: Int
        var until: MonotonicInstant
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
        /// It stands in for one that served and left in good order.
        var isReplacement = false
        /// It takes no more streams, and not because anything went wrong.
        var isLeavingInGoodOrder = false
        /// Its answers have paid for its replacement.
        var hasEarned = false
        /// The peer said GOAWAY and named its last stream.
        var isLifetimeConfirmed = false
        /// Where it leads; nil until the name was looked up.
        var address: Address?
        /// When the present phase ends badly, for those that have an end.
        var phaseDeadline: MonotonicInstant?
        /// What the peer's SETTINGS allow, and the most that they ever did.
        var peerLimit = 0
        var peerLimitBest = 0
        var openStreams = 0
        /// Streams opened since the connection was made.
        var streamsUsed = 0
        /// When the last of them was.
        var openedAt: MonotonicInstant?
        /// Since when streams are open without a break.
        var busySince: MonotonicInstant?
        var isAuthenticated = false
        /// Requests of this connection that were answered.
        var answers = 0
        var retireAt: MonotonicInstant?
        var heardAt: MonotonicInstant
        var pingDeadline: MonotonicInstant?
        /// Deadlines of streams since `deadlinesSince`.
        var deadlines = 0
        var deadlinesSince: MonotonicInstant?
        /// Control frames that may still come, as of `controlFramesAt`.
        var controlFramesLeft: Double
        var controlFramesAt: MonotonicInstant

        init(id: ConnectionID, configuration: Configuration, now: MonotonicInstant) {
            self.id = id
            self.heardAt = now
            self.phaseDeadline = now.advanced(by: configuration.connectDeadline)
            self.controlFramesLeft = Double(configuration.controlFrameBurst)
            self.controlFramesAt = now
        }

        var hasAnswered: Bool { self.answers > 0 }

        /// Takes streams, but a tenth or less of what it once took.
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
