public import Campaigns
import PushProviders
import Store

/// Whether an account has something to show for itself: a token that was signed here, and given by the provider where
/// it gives them.
///
/// Nobody gets a push, and no push service sees a token that was signed here.
public enum CredentialReach: Sendable, Equatable {
    /// Requests would carry a token, or the connections have a certificate.
    case ready
    /// The provider does not accept the key, for this reason (fit for a ledger).
    case refused(reason: String)
    /// There is no token now, for this reason (fit for a ledger); workers ask again.
    case passing(reason: String)
    /// The provider's token endpoint said nothing in time.
    case unanswered

    /// Looks at every account, one after the other; by app and provider.
    public static func look(_ app: AppConfiguration) async throws(ConfigurationError) -> [ProviderName: CredentialReach]
    {
        let directory = try AppDirectory([app])
        var found: [ProviderName: CredentialReach] = [:]
        for settings in app.accounts {
            let provider = settings.account.provider.name
            guard let account = directory.account(app: app.name, provider: provider) else { continue }
            found[provider] = await look(account)
        }
        return found
    }

    private static func look(_ account: LoadedAccount) async -> CredentialReach {
        switch await account.supply(for: account.account.endpoint(nil)) {
        case .ready: .ready
        case .lacking(.refused(let reason)): .refused(reason: reason)
        case .lacking(.passing(let reason)): .passing(reason: reason)
        case .awaited: .unanswered
        }
    }
}

extension LoadedAccount {
    /// After this a token endpoint counts as silent; more than `TokenRequest.deadline`.
    private static let patience = Duration.seconds(12)
    private static let pause = Duration.milliseconds(50)

    /// What there is for requests to an endpoint once that is known; `awaited` when it is not within twelve seconds.
    func supply(for endpoint: ProviderEndpoint) async -> CredentialHolder.Supply {
        let clock = ContinuousClock()
        let end = clock.now + Self.patience
        while clock.now < end {
            let supply = supply(for: endpoint, now: WallClock.now().asRead)
            guard case .awaited = supply else { return supply }
            try? await Task.sleep(for: Self.pause)  // cancelled: it is asked for again, until the end
        }
        return .awaited
    }
}
