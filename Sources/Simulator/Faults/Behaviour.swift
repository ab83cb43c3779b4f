/// The simulator's reaction to a request that broke no rule, decided by its device token.
///
/// The names are Apple's; FCM and Web Push express the same in their own words (`FCMAnswers`, `WebPushAnswers`).
public enum Behaviour: Sendable, Hashable {
    /// Answered 200.
    case accept
    /// 410 Unregistered, always, with a timestamp in milliseconds.
    case dead
    /// 410 ExpiredToken, always, with a timestamp in milliseconds.
    case expired
    /// 503 ServiceUnavailable without Retry-After at the first processed request, then 200.
    case unavailableOnce
    /// 503 ServiceUnavailable with `Retry-After`, always.
    case unavailable
    /// 503 ServiceUnavailable without Retry-After, for any token: the fault `storm`.
    case storm
    /// 429 TooManyRequests at the first processed request, then 200.
    case throttledOnce
    /// 500 InternalServerError, always.
    case internalError
    /// 400 BadDeviceToken, always.
    case badToken
    /// 400 DeviceTokenNotForTopic, always.
    case notForTopic
    /// RST_STREAM with REFUSED_STREAM, always: not processed.
    case refuse
    /// RST_STREAM with INTERNAL_ERROR after the request was processed, always: the client cannot know the outcome.
    case reset
    /// Processed, but never answered.
    case stall
    /// Refused with the given reason and its status, always.
    case refused(APNsReason)
    /// Refused with the given error of FCM, always.
    case refusedByFCM(FCMError)
    /// Refused with the given error of a Web Push service, always.
    case refusedByWebPush(WebPushError)
    /// Answered in a way that Apple never would, always.
    case malformed(MalformedAnswer)

    /// The words of rules, besides the providers' own errors and the malformed answers.
    static let words: [(word: String, behaviour: Behaviour)] = [
        ("ok", .accept), ("dead", .dead), ("expired", .expired), ("once-503", .unavailableOnce),
        ("503", .unavailable), ("once-429", .throttledOnce), ("500", .internalError), ("bad-token", .badToken),
        ("not-for-topic", .notForTopic), ("refuse", .refuse), ("reset", .reset), ("stall", .stall),
    ]

    /// Returns the behavior that a word of a rule names; nil for an unknown word.
    public init?(word: String) {
        if let known = Self.words.first(where: { $0.word == word }) {
            self = known.behaviour
        } else if let reason = APNsReason(rawValue: word) {
            self = .refused(reason)
        } else if let error = FCMError(rawValue: word) {
            self = .refusedByFCM(error)
        } else if let error = WebPushError(rawValue: word) {
            self = .refusedByWebPush(error)
        } else if let malformed = MalformedAnswer(rawValue: word) {
            self = .malformed(malformed)
        } else {
            return nil
        }
    }

    /// The only provider that can express it; nil if all can.
    var provider: SimulatedProvider? {
        switch self {
        case .refused: .apns
        case .refusedByFCM: .fcm
        case .refusedByWebPush: .webPush
        default: nil
        }
    }

    /// The behavior's word in rules.
    public var word: String {
        switch self {
        case .refused(let reason): reason.rawValue
        case .refusedByFCM(let error): error.rawValue
        case .refusedByWebPush(let error): error.rawValue
        case .malformed(let malformed): malformed.rawValue
        default: Self.words.first { $0.behaviour == self }?.word ?? "ok"
        }
    }
}
