/// What the simulator does with a request that broke no rule, decided by its device token.
public enum Behaviour: Sendable, Equatable {
    /// 200.
    case accept
    /// 410 Unregistered, always, with a timestamp in milliseconds.
    case dead
    /// 410 ExpiredToken, always, with a timestamp in milliseconds.
    case expired
    /// 503 ServiceUnavailable without Retry-After at the first processed request, 200 from then on.
    case unavailableOnce
    /// 503 ServiceUnavailable with `Retry-After`, always.
    case unavailable
    /// 429 TooManyRequests at the first processed request, 200 from then on.
    case throttledOnce
    /// 500 InternalServerError, always.
    case internalError
    /// 400 BadDeviceToken, always.
    case badToken
    /// 400 DeviceTokenNotForTopic, always.
    case notForTopic
    /// RST_STREAM with REFUSED_STREAM, always: not processed.
    case refuse
    /// RST_STREAM with INTERNAL_ERROR after the request was processed, always: the client cannot know.
    case reset
    /// Processed, but never answered.
    case stall

    /// The words for rules, in the order of the cases.
    static let words: [(word: String, behaviour: Behaviour)] = [
        ("ok", .accept), ("dead", .dead), ("expired", .expired), ("once-503", .unavailableOnce),
        ("503", .unavailable), ("once-429", .throttledOnce), ("500", .internalError), ("bad-token", .badToken),
        ("not-for-topic", .notForTopic), ("refuse", .refuse), ("reset", .reset), ("stall", .stall),
    ]

    /// The behaviour that a word of a rule names; nil for an unknown word.
    public init?(word: String) {
        guard let known = Self.words.first(where: { $0.word == word }) else { return nil }
        self = known.behaviour
    }

    /// The word for rules.
    public var word: String { Self.words.first { $0.behaviour == self }?.word ?? "ok" }
}

/// What the driver does with one request.
enum Reaction: Equatable {
    case answer(Answer)
    case refuse
    case reset
    case stall
}

/// A status with what goes into headers and body.
struct Answer: Equatable {
    /// nil is 200.
    var reason: APNsReason?
    /// Seconds for a `retry-after` header.
    var retryAfter: Int?
    /// Milliseconds since 1970, for 410.
    var timestamp: Int64?

    static let accepted = Answer()

    init(reason: APNsReason? = nil, retryAfter: Int? = nil, timestamp: Int64? = nil) {
        self.reason = reason
        self.retryAfter = retryAfter
        self.timestamp = timestamp
    }

    var status: Int { reason?.status ?? 200 }

    /// The body as Apple writes it; empty for 200.
    var body: String {
        guard let reason else { return "" }
        guard let timestamp else { return "{\"reason\":\"\(reason.rawValue)\"}" }
        return "{\"reason\":\"\(reason.rawValue)\",\"timestamp\":\(timestamp)}"
    }
}
