public import Campaigns

/// The built-in providers.
public enum ProviderRegistry {
    /// The providers, one line each; adding a provider takes its folder and a line here.
    public static let providers: [any PushProvider] = [
        APNsProvider(), FCMProvider(), WebPushProvider(), BroadcastProvider(),
    ]

    /// The token forms of all providers.
    public static let tokens = TokenForms(providers.map(\.tokens))

    /// The providers that an app has a block for in `apps.yaml`; the accounts of others come with these.
    public static let ofBlocks = providers.filter { $0.tokens.isOfDevices }

    /// Returns the provider of a name; nil when none is built in.
    public static func provider(named name: ProviderName) -> (any PushProvider)? {
        providers.first { $0.name == name }
    }
}
