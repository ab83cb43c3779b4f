extension ConnectionPool {
    /// The limits of one pool, in number, time and rate.
    public struct Configuration: Sendable {
        /// The largest number of streams of one connection, whatever the peer allows.
        public var streamsMax = 1000
        /// The number of streams that all connections together may have open before answers show how long they take.
        public var windowInitial = 1000
        /// The time that a request may take; after that its outcome is unknown.
        public var streamDeadline: Duration = .seconds(10)
        /// The largest number of connections, including those being opened.
        ///
        /// Each with a thousand streams carries 20,000 requests a second at answers of 50 ms, so these are more than
        /// one loop can use; a busy loop opens none.
        public var connectionsMax = 32
        /// True for APNs with tokens: one stream until an answer shows that the peer has read the connection's token.
        ///
        /// False for certificate authentication.
        public var oneStreamUntilAuthenticated = false
        /// The largest number of streams in a connection's whole life; then it is replaced.
        ///
        /// A client's stream ids are the odd numbers up to 2³¹ − 1 (RFC 9113, 5.1.1), so there are 2³⁰ of them.
        public var streamsPerConnectionMax = 1_000_000_000
        /// The divisor of the streams that must be free before a connection opens some (8: an eighth), or ``openPause``
        /// passes.
        public var openShare = 8
        /// The longest time that a connection with few free streams waits for more.
        public var openPause: Duration = .milliseconds(4)
        /// The time for which all streams (but few) must be taken before another connection is opened.
        public var growAfter: Duration = .milliseconds(100)
        /// The deadline for TCP and TLS together.
        public var connectDeadline: Duration = .seconds(5)
        /// The deadline from TLS to the peer's first SETTINGS.
        public var settingsDeadline: Duration = .seconds(5)
        /// The silence of an idle connection after which a PING is sent.
        public var pingAfter: Duration = .seconds(60)
        /// The silence of a connection with open streams after which a PING is sent; it tells a slow peer from a dead
        /// one.
        ///
        /// With ``pingDeadline``, a dead connection is closed nine seconds after its last sign of life.
        public var pingAfterBusy: Duration = .seconds(4)
        /// The silence after a PING from which the connection is dead.
        public var pingDeadline: Duration = .seconds(5)
        /// The age at which a connection is replaced (± 10 %), so that no imbalance lasts for ever.
        public var ageMax: Duration = .seconds(6 * 3600)
        /// The time without a request after which a connection closes that the pool is not to keep.
        ///
        /// Connections that were opened for one campaign serve those that follow it closely. Apple wants connections to
        /// stay open, and takes rapid connecting and disconnecting for an attack.
        public var idleMax: Duration = .seconds(300)
        /// The time for which a connection without requests must have been ready for its end to be no failure.
        public var idleMin: Duration = .seconds(5)
        /// The first wait before a kept connection that ended is opened anew, with jitter.
        ///
        /// It doubles with each one that ended without a request, up to ``reopenMax``.
        public var reopenBase: Duration = .seconds(1)
        /// The longest wait before a kept connection is opened anew.
        public var reopenMax: Duration = .seconds(600)
        /// The interval at which an old connection asks if its replacement is ready.
        public var replacePause: Duration = .seconds(1)
        /// The number of missed stream deadlines within ``deadlineWindow`` that ends a connection.
        ///
        /// Further resets would look like an attack to the server.
        public var deadlinesMax = 3
        /// The window of ``deadlinesMax``.
        public var deadlineWindow: Duration = .seconds(60)
        /// The first back-off after every address has failed; it doubles, with jitter, up to ``backoffMax``.
        public var backoffBase: Duration = .milliseconds(250)
        /// The longest back-off.
        public var backoffMax: Duration = .seconds(30)
        /// The number of connection attempts that may follow each other at once; then one per ``connectInterval``.
        public var connectBurst = 8
        /// The interval of ``connectBurst``.
        public var connectInterval: Duration = .seconds(1)
        /// The number of answers with which a connection that retires in good order pays for its replacement.
        ///
        /// Otherwise a peer that sends GOAWAY after every thousand streams would limit us to a thousand a second. A
        /// peer that gives fewer answers per connection is still rationed.
        public var answersPerAttempt = 500
        /// The time for which an address is the last choice after a connection to it failed.
        public var addressCooldown: Duration = .seconds(60)
        /// The time within which a second ENHANCE_YOUR_CALM is the same request to slow down: a thousand streams may be
        /// reset at once.
        public var calmInterval: Duration = .seconds(1)
        /// The time without ENHANCE_YOUR_CALM after which the number of streams doubles again.
        public var calmRaiseAfter: Duration = .seconds(10)
        /// The number of a peer's control frames that are tolerated at once; see ``controlFramesPerSecond``.
        public var controlFrameBurst = 1000
        /// The rate of a peer's control frames that is tolerated permanently.
        public var controlFramesPerSecond = 100

        /// The defaults.
        public init() {}
    }
}
