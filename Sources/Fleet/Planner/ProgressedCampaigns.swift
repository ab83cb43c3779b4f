import Synchronization

/// Campaigns of which something was settled here since the planner last looked.
final class ProgressedCampaigns: Sendable {
    private let numbers = Mutex(Set<UInt32>())

    /// Something of a campaign was settled or claimed; true for the first since the planner last looked: wake it.
    func note(_ campaign: UInt32) -> Bool {
        numbers.withLock { numbers in
            defer { numbers.insert(campaign) }
            return numbers.isEmpty
        }
    }

    /// The campaigns since the last call.
    func take() -> Set<UInt32> {
        numbers.withLock { numbers in
            defer { numbers = [] }
            return numbers
        }
    }
}
