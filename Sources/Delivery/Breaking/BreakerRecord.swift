public import Campaigns

/// A breaker with its app and provider, as the ledger keeps it for the whole fleet.
public struct BreakerRecord: Sendable, Equatable {
    /// The app.
    public var app: String
    /// The provider.
    public var provider: ProviderName
    /// The breaker's state.
    public var breaker: Breaker

    /// A breaker of an app with a provider.
    public init(app: String, provider: ProviderName, breaker: Breaker) {
        self.app = app
        self.provider = provider
        self.breaker = breaker
    }
}
