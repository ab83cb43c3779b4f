import Synchronization

/// The campaigns that made progress here since the planner's last step.
final class ProgressedCampaigns: Sendable {
    private let numbers = Mutex(Set<UInt32>())

    /// Notes a settlement or claim of a campaign; returns true for the first since the planner's last step, to wake
    /// it.
    func note(_ campaign: UInt32) -> Bool {
        numbers.withLock { numbers in
            defer { numbers.insert(campaign) }
            return numbers.isEmpty
        }
    }

    /// Returns the campaigns since the last call.
    func take() -> Set<UInt32> {
        numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
    }
}
