/// The faults of a simulated provider, set by flags at the start and live over the control address.
///
/// Shares are of all device tokens, decided by the token and the seed alone: a dead token is dead in every run with
/// that seed. The shares exclude one another, so that the expected ledger can be computed beforehand.
public struct Faults: Sendable, Equatable {
    /// A rule for all tokens with the same beginning; rules precede shares, and the first match wins.
    public struct Rule: Sendable, Equatable {
        /// The beginning of a token: hexadecimal digits of either case for APNs, exact characters elsewhere.
        public let prefix: String
        /// The behavior of these tokens.
        public let behaviour: Behaviour

        /// Creates a rule; nil when `prefix` is empty or holds a character that no token has.
        public init?(prefix: String, behaviour: Behaviour) {
            guard !prefix.isEmpty, prefix.utf8.allSatisfy(Self.mayBeInToken) else { return nil }
            self.prefix = prefix
            self.behaviour = behaviour
            let digits = prefix.utf8.compactMap { Hexadecimal.value(of: $0) }
            nibbles = digits.count == prefix.utf8.count ? digits : nil
            bytes = Array(prefix.utf8)
        }

        /// The prefix as hexadecimal digits; nil when it has others, in which case it matches no APNs token.
        let nibbles: [UInt8]?
        let bytes: [UInt8]

        /// Returns true for letters, digits and the marks of base64url and of FCM's tokens.
        private static func mayBeInToken(_ byte: UInt8) -> Bool {
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: ":"): true
            default: false
            }
        }
    }

    /// The shortest and longest time to an answer, in milliseconds.
    public var latencyMilliseconds: ClosedRange<Int> = 0...0
    /// Share of tokens that behave as `.dead`.
    public var dead = 0.0
    /// Share of tokens that behave as `.expired`.
    public var expired = 0.0
    /// Share of tokens that behave as `.unavailableOnce`.
    public var unavailableOnce = 0.0
    /// Share of tokens that behave as `.unavailable`.
    public var unavailable = 0.0
    /// Share of tokens that behave as `.throttledOnce`.
    public var throttledOnce = 0.0
    /// Share of tokens that behave as `.internalError`.
    public var internalError = 0.0
    /// Share of tokens that behave as `.badToken`.
    public var badToken = 0.0
    /// Share of tokens that behave as `.notForTopic`.
    public var notForTopic = 0.0
    /// The `Retry-After` of `.unavailable`, usually seconds; other text shows how the sender handles it.
    public var retryAfter = "60"
    /// The age of a dead token's timestamp at the time of the answer, in seconds.
    public var deadSinceSeconds = 0
    /// Share of requests that are refused unprocessed; a repeated request is drawn anew.
    public var refuse = 0.0
    /// Share of requests that are reset after they were processed.
    public var reset = 0.0
    /// Share of requests that are processed and never answered.
    public var stall = 0.0
    /// True if every request that broke no rule is answered 503 ServiceUnavailable.
    public var isStorm = false
    /// The streams after which a connection gets GOAWAY; 0 is never.
    public var goAwayEvery = 0
    /// The `reason` in the GOAWAY's debug data; empty for none.
    public var goAwayReason = ""
    /// True if GOAWAY comes in two steps, as from a draining server: 2³¹−1 first, the true last stream 100 ms later.
    public var isGoAwayGraceful = false
    /// The streams after which a connection falls silent: it neither reads nor answers; 0 is never.
    public var silentAfter = 0
    /// The delay of the first SETTINGS, and of everything after them, in milliseconds.
    public var settingsDelayMilliseconds = 0
    /// True if connections are accepted but nobody speaks TLS on them.
    public var isMute = false
    /// The streams after which a connection is closed without GOAWAY; 0 is never.
    public var dropEvery = 0
    /// The SETTINGS_MAX_CONCURRENT_STREAMS of authenticated connections.
    public var streams = 1000
    /// The sequence of stream limits of a connection; empty for a constant limit.
    ///
    /// The next limit applies after `streamLimitsEvery` streams or `streamLimitMilliseconds`, so that a limit of 0
    /// ends.
    public var streamLimits: [Int] = []
    /// The streams until the next of `streamLimits`.
    public var streamLimitsEvery = 1000
    /// The longest time at one of `streamLimits`, in milliseconds.
    public var streamLimitMilliseconds = 200
    /// Seconds by which the simulator's clock is ahead of the machine's (behind, when negative).
    public var clockOffsetSeconds = 0
    /// FCM: the lifetime of an access token in seconds; Google's is 3600.
    public var accessTokenSeconds = 3600
    /// FCM: the token endpoint's error instead of a token; empty for tokens.
    public var oauthError = ""
    /// FCM: the project's messages per minute, by default Google's; 0 is no quota.
    public var projectQuota = 600_000
    /// FCM and Web Push: the `Retry-After` of an exhausted quota; empty for none.
    public var quotaRetryAfter = ""
    /// The behaviors of tokens with a given beginning.
    public var rules: [Rule] = []

    /// Creates the faults of a faultless provider.
    public init() {}

    /// The share of tokens with any behavior but `.accept`.
    public var shareOfTokens: Double { shares.reduce(0) { $0 + $1.share } }

    /// The shares by behavior, in the order in which they divide 0 … 1.
    private var shares: [(share: Double, behaviour: Behaviour)] {
        [
            (dead, .dead), (expired, .expired), (unavailableOnce, .unavailableOnce), (unavailable, .unavailable),
            (throttledOnce, .throttledOnce), (internalError, .internalError), (badToken, .badToken),
            (notForTopic, .notForTopic),
        ]
    }

    /// Returns the number of `tokens` per behavior with `seed`; tokens that are invalid at `provider` are left out.
    public func expectedBehaviours(
        of tokens: some Sequence<String>,
        seed: UInt64,
        at provider: SimulatedProvider = .apns
    ) -> [Behaviour: Int] {
        let draw = FaultDraw(self, seed: seed, provider: provider)
        var counts: [Behaviour: Int] = [:]
        for token in tokens {
            let text = Array(token.utf8)[...]
            let addressee =
                provider == .apns
                ? DeviceTokenKey(hexadecimal: text).map { Addressee(key: $0) }
                : Addressee(key: DeviceTokenKey(digestOf: text), text: text)
            if let addressee { counts[draw.behaviour(of: addressee), default: 0] += 1 }
        }
        return counts
    }

    func layout() -> [(upTo: Double, behaviour: Behaviour)] {
        var edge = 0.0
        return shares.compactMap { share, behaviour in
            guard share > 0 else { return nil }
            edge += share
            return (edge, behaviour)
        }
    }
}
