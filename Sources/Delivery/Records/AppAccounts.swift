public import Campaigns

/// The apps that workers can send for, with the providers for which they have credentials.
public struct AppAccounts: Sendable, Equatable {
    /// The providers by app.
    public var providers: [String: Set<ProviderName>]

    /// Accounts; none by default.
    public init(_ providers: [String: Set<ProviderName>] = [:]) {
        self.providers = providers
    }

    /// Returns true if there are credentials of an app for a provider.
    public func has(_ app: String, _ provider: ProviderName) -> Bool {
        providers[app]?.contains(provider) ?? false
    }

    /// Adds the accounts of others.
    public mutating func formUnion(_ others: AppAccounts) {
        providers.merge(others.providers) { $0.union($1) }
    }
}
