public import Campaigns

/// The requests per minute that a provider accepts from all senders of one holder: FCM's quota of a project.
///
/// Several apps, and accounts of several apps, may have the same holder; they share its quota.
public struct ProviderQuota: Hashable, Sendable {
    /// The provider.
    public let provider: ProviderName
    /// The holder of the quota as the provider names it, such as a project.
    public let holder: String
    /// The requests per minute, at least 1; every request counts, whatever its answer.
    public let perMinute: Int

    /// Creates a quota.
    public init(provider: ProviderName, holder: String, perMinute: Int) {
        self.provider = provider
        self.holder = holder
        self.perMinute = max(1, perMinute)
    }

    /// The key that all apps with this quota share, even if their settings disagree about the number.
    public var key: String { "\(provider.rawValue)/\(holder)" }
}
