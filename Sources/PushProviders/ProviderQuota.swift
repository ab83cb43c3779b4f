public import Campaigns

/// How many requests a minute a provider takes of all who send for one and the same holder: FCM's quota of a project.
///
/// Several apps, and accounts of several apps, may have one holder; they share the quota.
public struct ProviderQuota: Hashable, Sendable {
    /// The provider.
    public let provider: ProviderName
    /// Whose quota it is, as the provider names it: a project.
    public let holder: String
    /// Requests a minute, at least 1; whatever is answered counts.
    public let perMinute: Int

    /// A quota.
    public init(provider: ProviderName, holder: String, perMinute: Int) {
        self.provider = provider
        self.holder = holder
        self.perMinute = max(1, perMinute)
    }

    /// What is alike for all who share it, whatever number each believes in.
    public var key: String { "\(provider.rawValue)/\(holder)" }
}
