/// What goes wrong at the far side, by flags at start and live over the control address.
///
/// Shares are of all device tokens, decided by each token and the seed alone: a dead token is dead in every run with
/// that seed, and the shares exclude one another, so that the expected ledger can be computed beforehand.
public struct Faults: Sendable, Equatable {
    /// A rule for all tokens that begin alike; rules come before shares, the first one wins.
    public struct Rule: Sendable, Equatable {
        /// The beginning of a token; hexadecimal digits of either case for APNs, the very characters elsewhere.
        public let prefix: String
        /// What happens to them.
        public let behaviour: Behaviour

        /// Makes a rule; nil when `prefix` is empty or has what no token has.
        public init?(prefix: String, behaviour: Behaviour) {
            guard !prefix.isEmpty, prefix.utf8.allSatisfy(Self.mayBeInToken) else { return nil }
            self.prefix = prefix
            self.behaviour = behaviour
            let digits = prefix.utf8.compactMap { Hexadecimal.value(of: $0) }
            nibbles = digits.count == prefix.utf8.count ? digits : nil
            bytes = Array(prefix.utf8)
        }

        /// The prefix as hexadecimal digits; nil when it is none: it matches no token of APNs then.
        let nibbles: [UInt8]?
        let bytes: [UInt8]

        /// Letters, digits and the marks of base64url and of FCM's tokens.
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
    /// The `Retry-After` of `.unavailable`, usually seconds; other text shows what the sender makes of it.
    public var retryAfter = "60"
    /// How long before the answer a dead token's timestamp lies, in seconds.
    public var deadSinceSeconds = 0
    /// Share of requests that are refused unprocessed; a request that comes again is drawn anew.
    public var refuse = 0.0
    /// Share of requests that are reset after they were processed.
    public var reset = 0.0
    /// Share of requests that are processed and never answered.
    public var stall = 0.0
    /// Every request that broke no rule is answered 503 ServiceUnavailable.
    public var isStorm = false
    /// A connection gets GOAWAY after so many streams; 0 is never.
    public var goAwayEvery = 0
    /// The `reason` in the GOAWAY's debug data; empty for none.
    public var goAwayReason = ""
    /// The GOAWAY is said in two steps, as a draining server does: 2³¹−1 first, the true last stream 100 ms later.
    public var isGoAwayGraceful = false
    /// A connection falls silent after so many streams: it reads no more and answers no more; 0 is never.
    public var silentAfter = 0
    /// The first SETTINGS, and all that comes after them, are held back so long, in milliseconds.
    public var settingsDelayMilliseconds = 0
    /// Connections are accepted, but nobody speaks TLS on them.
    public var isMute = false
    /// A connection is cut without a word after so many streams; 0 is never.
    public var dropEvery = 0
    /// SETTINGS_MAX_CONCURRENT_STREAMS of connections that have authenticated.
    public var streams = 1000
    /// Limits that a connection goes through, one after the other; empty for a constant limit.
    ///
    /// The next one holds after `streamLimitsEvery` streams or `streamLimitMilliseconds`, so that a limit of 0 ends.
    public var streamLimits: [Int] = []
    /// Streams until the next of `streamLimits`.
    public var streamLimitsEvery = 1000
    /// The longest time with one of `streamLimits`, in milliseconds.
    public var streamLimitMilliseconds = 200
    /// Seconds by which the simulator's clock is ahead of the machine's (behind, when negative).
    public var clockOffsetSeconds = 0
    /// FCM: how long an access token is good for, in seconds; Google gives 3600.
    public var accessTokenSeconds = 3600
    /// FCM: what the token endpoint answers instead of a token; empty for tokens.
    public var oauthError = ""
    /// FCM: messages of the project a minute, the default of Google's; 0 is no quota.
    public var projectQuota = 600_000
    /// FCM and Web Push: the `Retry-After` of a quota that has run out; empty for none.
    public var quotaRetryAfter = ""
    /// What tokens with a given beginning do.
    public var rules: [Rule] = []

    /// Nothing goes wrong.
    public init() {}

    /// The share of tokens that have any behaviour but `.accept`.
    public var shareOfTokens: Double { shares.reduce(0) { $0 + $1.share } }

    /// Shares by behaviour, in the order in which they are laid on 0 … 1.
    private var shares: [(share: Double, behaviour: Behaviour)] {
        [
            (dead, .dead), (expired, .expired), (unavailableOnce, .unavailableOnce), (unavailable, .unavailable),
            (throttledOnce, .throttledOnce), (internalError, .internalError), (badToken, .badToken),
            (notForTopic, .notForTopic),
        ]
    }

    /// How many tokens of `tokens` behave in which way with `seed`; tokens that are none of `provider` are left out.
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
