public import Campaigns

/// The state of a webhook: its failures, the instant of its next try, and the end of its tries.
///
/// Its events go out one after the other, so one that is not taken holds up those behind it. Pure: the caller passes
/// the time and the random numbers.
public struct WebhookState: Sendable, Equatable {
    /// The number of consecutive failed tries.
    public private(set) var failures: Int
    /// The instant of the first of them; nil if the last try succeeded.
    public private(set) var failingSince: Timestamp?
    /// The earliest instant of the next try.
    public private(set) var dueAt: Timestamp
    /// The reason why the last try failed, one line without secrets; empty if it succeeded.
    public private(set) var reason: String
    /// The instant at which it was given up; nil while it is tried.
    public private(set) var disabledAt: Timestamp?

    /// The result of a try.
    public enum Answer: Sendable, Equatable {
        /// An HTTP status, with the seconds of `Retry-After` if it had one.
        case status(Int, retryAfter: Int?)
        /// No answer: not reached, refused because of its address, or silent; the reason is one line.
        case nothing(String)
    }

    /// The step after a try.
    public enum Step: Sendable, Equatable {
        /// The event is taken: send the next one.
        case delivered
        /// Send the same event again, not before this instant.
        case again(at: Timestamp)
        /// Send nothing more, until somebody fixes it.
        case disabled
    }

    /// The wait after the first failure; each further one doubles it.
    public static let firstWait = Duration.seconds(5)
    /// The longest wait that we choose ourselves.
    public static let waitMax = Duration.seconds(3600)
    /// The time without a success after which the webhook is given up; events are kept as long.
    public static let failingMax = Duration.seconds(3 * 86_400)

    /// The time that a worker has a webhook.
    public static let leaseLength = Duration.seconds(15)

    /// A webhook that has not been tried.
    public init(dueAt: Timestamp) {
        self.init(failures: 0, failingSince: nil, dueAt: dueAt, reason: "", disabledAt: nil)
    }

    /// A webhook's state as the ledger has it.
    public init(failures: Int, failingSince: Timestamp?, dueAt: Timestamp, reason: String, disabledAt: Timestamp?) {
        self.failures = failures
        self.failingSince = failingSince
        self.dueAt = dueAt
        self.reason = reason
        self.disabledAt = disabledAt
    }

    /// Handles the end of a try.
    ///
    /// Only a 2xx status is a success. A redirect is not followed and counts as a failure like everything else. The
    /// exception is 410, by which a receiver says that it wants no more.
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
        let end = (failingSince ?? now).advanced(by: Self.failingMax)
        if now >= end { disabledAt = now }
        guard disabledAt == nil else { return .disabled }
        dueAt = min(now.advanced(by: max(wait(using: &chance), .seconds(asked))), max(end, now))
        return .again(at: dueAt)
    }

    /// Resumes after somebody has fixed the webhook: the first of the waiting events is tried now.
    public mutating func resume(now: Timestamp) { self = WebhookState(dueAt: now) }

    private mutating func failed(now: Timestamp) {
        failures += 1
        failingSince = failingSince ?? now
    }

    /// Returns a wait that is randomly up to a fifth shorter, so that not everybody calls a recovered receiver at once.
    private func wait(using chance: inout some RandomNumberGenerator) -> Duration {
        let doublings = min(failures - 1, 20)
        let whole = min(Self.firstWait * (1 << doublings), Self.waitMax)
        return whole * Double.random(in: 0.8...1, using: &chance)
    }
}

extension FutureLimit {
    /// A worker's hold on a webhook.
    public static var webhookLease: FutureLimit { FutureLimit(WebhookState.leaseLength) }
    /// The pause before a webhook is tried again.
    public static var webhookCooldown: FutureLimit { FutureLimit(WebhookState.failingMax) }
}
