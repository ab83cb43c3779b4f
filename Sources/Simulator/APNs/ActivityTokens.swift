import Synchronization

/// The tokens that have taken Live Activities, each of one of two kinds.
///
/// A token that starts activities takes starts alone, and any number of them; one that belongs to an activity takes its
/// updates and its end, and nothing afterwards (Apple, "Starting and updating Live Activities with ActivityKit push
/// notifications"). No phone tells a simulator which token is which, so the first message that a token takes says its
/// kind.
///
/// Apple's pages name no answer for either mistake. A token whose activity is over is no longer valid and is answered
/// as such a token is: 410 `Unregistered`. A token of the other kind is answered 400 `BadDeviceToken`; Apple's other
/// reasons are about the topic, which both kinds share, and about the push type, which is right.
///
/// A token costs memory from its first Live Activity on: one or two hundred bytes, beside its counts (`TokenTable`).
/// Tokens that get none cost nothing. Shared by all connections.
final class ActivityTokens: Sendable {
    /// The verdict on a message of a Live Activity.
    enum Verdict: Equatable {
        /// The token takes it.
        case taken
        /// Its activity ended at this instant, in milliseconds since 1970.
        case ended(at: Int64)
        /// It is for messages of the other kind.
        case wrongKind
    }

    /// The kind of a token, and its activity's end.
    private enum Kind {
        case starting
        case following
        /// Its activity ended at this instant.
        case ended(at: Int64)
    }

    private let kinds = Mutex<[DeviceTokenKey: Kind]>([:])

    /// Takes a message to a token, unless it is not for that token.
    func take(_ event: PayloadFacts.Event, to key: DeviceTokenKey, now: Int64) -> Verdict {
        kinds.withLock { kinds in
            switch (kinds[key], event) {
            case (.ended(let instant)?, _): return .ended(at: instant)
            case (.starting?, .update), (.starting?, .end), (.following?, .start): return .wrongKind
            case (.starting?, .start), (.following?, .update): return .taken
            case (nil, .start): kinds[key] = .starting
            case (nil, .update): kinds[key] = .following
            case (nil, .end), (.following?, .end): kinds[key] = .ended(at: now)
            }
            return .taken
        }
    }

    /// Forgets all tokens.
    func reset() { kinds.withLock { $0 = [:] } }
}
