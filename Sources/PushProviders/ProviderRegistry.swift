public import Campaigns

/// The providers that are built in.
public enum ProviderRegistry {
    /// One line per provider; adding one is its folder and its line here.
    public static let providers: [any PushProvider] = [
        APNsProvider(), FCMProvider(), WebPushProvider(),
    ]

    /// How the tokens of all providers are written.
    public static let tokens = TokenForms(providers.map(\.tokens))

    /// The provider of a name, nil when none is built in.
    public static func provider(named name: ProviderName) -> (any PushProvider)? {
        providers.first { $0.name == name }
    }
}
