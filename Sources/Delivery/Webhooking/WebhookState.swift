public import Campaigns

/// How a webhook is: whether its events are taken, when the first of those that wait is tried again, and whether it has
/// been given up.
///
/// Its events go out one after the other, so one that is not taken holds up those behind it. Pure: instants and chance
/// are handed in.
public struct WebhookState: Sendable, Equatable {
    /// Tries in a row that failed.
    public private(set) var failures: Int
    /// When the first of them was; nil when the last try went well.
    public private(set) var failingSince: Timestamp?
    /// Not before this instant the next try begins.
    public private(set) var dueAt: Timestamp
    /// Why the last try failed, one line without secrets; empty when it went well.
    public private(set) var reason: String
    /// When it was given up; nil while it is tried.
    public private(set) var disabledAt: Timestamp?

    /// What came of a try.
    public enum Answer: Sendable, Equatable {
        /// An HTTP status, with the seconds of `Retry-After` if it had one.
        case status(Int, retryAfter: Int?)
        /// No answer: not reached, refused for its address, or silent; the reason is one line.
        case nothing(String)
    }

    /// What to do after a try.
    public enum Step: Sendable, Equatable {
        /// The event is taken: the next one.
        case delivered
        /// The same event again, not before this instant.
        case again(at: Timestamp)
        /// Nothing more, until somebody mends it.
        case disabled
    }

    /// The wait after the first failure; each further one doubles it.
    public static let firstWait = Duration.seconds(5)
    /// The longest wait that is our own choice.
    public static let waitMax = Duration.seconds(3600)
    /// So long nothing is taken, and the webhook is given up; events are kept as long.
    public static let patience = Duration.seconds(3 * 86_400)

    /// One that has not been tried.
    public init(dueAt: Timestamp) {
        self.init(failures: 0, failingSince: nil, dueAt: dueAt, reason: "", disabledAt: nil)
    }

    /// What the ledger has of it.
    public init(failures: Int, failingSince: Timestamp?, dueAt: Timestamp, reason: String, disabledAt: Timestamp?) {
        self.failures = failures
        self.failingSince = failingSince
        self.dueAt = dueAt
        self.reason = reason
        self.disabledAt = disabledAt
    }

    /// A try has ended.
    ///
    /// Only a status of the 200s is a yes. A redirect is not followed: it counts as a failure like everything else, but
    /// for 410, by which a receiver says that it wants no more.
    public mutating func tried(
        _ answer: Answer,
        now: Timestamp,
        using chance: inout some RandomNumberGenerator
    ) -> Step {
        var asked = 0
        switch answer {
        case .status(200...299, _):
            self = WebhookState(dueAt: now)
            return .delivered
        case .status(let status, let retryAfter):
            reason = (300...399).contains(status) ? "status \(status): redirects are not followed" : "status \(status)"
            asked = retryAfter ?? 0
            failed(now: now)
            if status == 410 { disabledAt = now }
        case .nothing(let why):
            reason = why
            failed(now: now)
        }
        let end = (failingSince ?? now).advanced(by: Self.patience)
        if now >= end { disabledAt = now }
        guard disabledAt == nil else { return .disabled }
        dueAt = min(now.advanced(by: max(wait(using: &chance), .seconds(asked))), max(end, now))
        return .again(at: dueAt)
    }

    /// Somebody has mended it: the first of the events that wait is tried now.
    public mutating func resume(now: Timestamp) { self = WebhookState(dueAt: now) }

    private mutating func failed(now: Timestamp) {
        failures += 1
        failingSince = failingSince ?? now
    }

    /// Up to a fifth shorter by chance, so that receivers that came back are not asked by all at once.
    private func wait(using chance: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(failures - 1, 20)
        let whole = min(Self.firstWait * (1 << doublings), Self.waitMax)
        return whole * Double.random(in: 0.8...1, using: &chance)
    }
}
