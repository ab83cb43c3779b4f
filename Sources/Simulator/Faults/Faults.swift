/// What goes wrong at the far side, by flags at start and live over the control address.
///
/// Shares are of all device tokens, decided by each token and the seed alone: a dead token is dead in every run with
/// that seed, and the shares exclude one another, so that the expected ledger can be computed beforehand.
public struct Faults: Sendable, Equatable {
    /// A rule for all tokens that begin with some hexadecimal digits; rules come before shares, the first one wins.
    public struct Rule: Sendable, Equatable {
        /// Lower-case hexadecimal digits.
        public let prefix: String
        /// What happens to them.
        public let behaviour: Behaviour

        /// Makes a rule; nil when `prefix` is empty or not hexadecimal.
        public init?(prefix: String, behaviour: Behaviour) {
            let digits = prefix.utf8.compactMap { Hexadecimal.value(of: $0) }
            guard !digits.isEmpty, digits.count == prefix.utf8.count else { return nil }
            self.prefix = prefix.lowercased()
            self.behaviour = behaviour
            nibbles = digits
        }

        let nibbles: [UInt8]
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

    /// How many tokens of `tokens` (hexadecimal) behave in which way with `seed`; tokens that are none are left out.
    public func expectedBehaviours(of tokens: some Sequence<String>, seed: UInt64) -> [Behaviour: Int] {
        let draw = FaultDraw(self, seed: seed)
        var counts: [Behaviour: Int] = [:]
        for token in tokens {
            guard let key = DeviceTokenKey(hexadecimal: Array(token.utf8)[...]) else { continue }
            counts[draw.behaviour(of: key), default: 0] += 1
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

/// Faults prepared for one question per request.
struct FaultDraw {
    let faults: Faults
    private let seed: UInt64
    private let layout: [(upTo: Double, behaviour: Behaviour)]
    private let hasRequestFaults: Bool

    init(_ faults: Faults, seed: UInt64) {
        self.faults = faults
        self.seed = seed
        layout = faults.layout()
        hasRequestFaults = faults.refuse > 0 || faults.reset > 0 || faults.stall > 0
    }

    /// What a token does, always the same.
    func behaviour(of token: DeviceTokenKey) -> Behaviour {
        for rule in faults.rules where Self.matches(rule, token) { return rule.behaviour }
        if layout.isEmpty { return .accept }
        let point = Mixing.fraction(Mixing.mix(token.hash64 ^ seed))
        return layout.first { point < $0.upTo }?.behaviour ?? .accept
    }

    /// The reaction to a token's next request, given what it has seen so far; `now` in milliseconds since 1970.
    func reaction(to token: DeviceTokenKey, before counts: TokenCounts, now: Int64) -> Reaction {
        if let fault = requestFault(token, before: counts) { return fault }
        if faults.isStorm { return .answer(Answer(reason: .serviceUnavailable)) }
        switch behaviour(of: token) {
        case .accept: return .answer(.accepted)
        case .dead: return .answer(Answer(reason: .unregistered, timestamp: deadSince(now)))
        case .expired: return .answer(Answer(reason: .expiredToken, timestamp: deadSince(now)))
        case .unavailableOnce:
            return .answer(counts.judged == 0 ? Answer(reason: .serviceUnavailable) : .accepted)
        case .unavailable:
            return .answer(Answer(reason: .serviceUnavailable, retryAfter: faults.retryAfter))
        case .throttledOnce: return .answer(counts.judged == 0 ? Answer(reason: .tooManyRequests) : .accepted)
        case .internalError: return .answer(Answer(reason: .internalServerError))
        case .badToken: return .answer(Answer(reason: .badDeviceToken))
        case .notForTopic: return .answer(Answer(reason: .deviceTokenNotForTopic))
        case .refuse: return .refuse
        case .reset: return .reset
        case .stall: return .stall
        case .refused(let reason):
            return .answer(Answer(reason: reason, timestamp: reason.status == 410 ? deadSince(now) : nil))
        case .malformed(let malformed): return .answer(Answer(malformed: malformed))
        }
    }

    /// Milliseconds until the answer.
    func latency(of token: DeviceTokenKey?, before counts: TokenCounts) -> Int {
        let range = faults.latencyMilliseconds
        guard range.lowerBound < range.upperBound, let token else { return range.lowerBound }
        let point = fraction(token, counts, salt: 3)
        return range.lowerBound + Int(point * Double(range.count))
    }

    private func requestFault(_ token: DeviceTokenKey, before counts: TokenCounts) -> Reaction? {
        guard hasRequestFaults else { return nil }
        if fraction(token, counts, salt: 0) < faults.refuse { return .refuse }
        if fraction(token, counts, salt: 1) < faults.reset { return .reset }
        return fraction(token, counts, salt: 2) < faults.stall ? .stall : nil
    }

    /// Drawn from the token and how often it came, not from a running generator: the order of arrival does not matter.
    private func fraction(_ token: DeviceTokenKey, _ counts: TokenCounts, salt: UInt64) -> Double {
        let times = UInt64(counts.requests) << 32 | UInt64(counts.refused) << 8 | salt + 1
        return Mixing.fraction(Mixing.mix(token.hash64 ^ Mixing.mix(seed ^ times)))
    }

    private func deadSince(_ now: Int64) -> Int64 { now - Int64(faults.deadSinceSeconds) * 1000 }

    private static func matches(_ rule: Faults.Rule, _ token: DeviceTokenKey) -> Bool {
        for (index, nibble) in rule.nibbles.enumerated() where token.digit(at: index) != nibble { return false }
        return true
    }
}
