import Synchronization

/// The tokens whose Live Activities have ended: each belongs to one activity, and takes nothing after its end.
///
/// Apple's pages name no answer for such a token; like any other that is no longer valid, it is answered 410
/// `Unregistered`. Only ends cost memory. Shared by all connections.
final class ActivityTokens: Sendable {
    private let ended = Mutex<[DeviceTokenKey: Int64]>([:])

    /// Takes a message to a token; returns the instant at which its activity had ended, nil if it takes it.
    func take(_ event: PayloadFacts.Event, to key: DeviceTokenKey, now: Int64) -> Int64? {
        ended.withLock { ended in
            if let instant = ended[key] { return instant }
            if event == .end { ended[key] = now }
            return nil
        }
    }

    /// Forgets all tokens.
    func reset() { ended.withLock { $0 = [:] } }
}
