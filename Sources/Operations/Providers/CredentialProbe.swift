package import Campaigns
import PushProviders
package import Settings
import Store

/// The result of checking a credential: a token signed here, and issued by the provider if it issues tokens.
///
/// The check sends no push, and no push service sees a token that was signed here.
package enum CredentialProbe: Sendable, Equatable {
    /// Usable: requests would carry a token, or the connections have a certificate.
    case ready
    /// Refused: the provider does not accept the key, for this reason (fit for a ledger).
    case refused(reason: String)
    /// No token now, for this reason (fit for a ledger); workers ask again.
    case passing(reason: String)
    /// No answer from the provider's token endpoint in time.
    case unanswered

    /// Checks every account of an app, one after the other; returns the results by provider.
    package static func probe(
        _ app: AppConfiguration
    ) async throws(ConfigurationError) -> [ProviderName: CredentialProbe] {
        let directory = try AppDirectory([app])
        var found: [ProviderName: CredentialProbe] = [:]
        for settings in app.accounts {
            let provider = settings.account.provider.name
            guard let account = directory.account(app: app.name, provider: provider) else { continue }
            found[provider] = await probe(account)
        }
        return found
    }

    private static func probe(_ account: LoadedAccount) async -> CredentialProbe {
        switch await account.supply(for: account.account.endpoint(nil)) {
        case .ready: .ready
        case .lacking(.refused(let reason)): .refused(reason: reason)
        case .lacking(.passing(let reason)): .passing(reason: reason)
        case .awaited: .unanswered
        }
    }
}

extension LoadedAccount {
    /// The time after which a token endpoint counts as silent; more than `TokenRequest.deadline`.
    private static let timeout = Duration.seconds(12)
    private static let pause = Duration.milliseconds(50)

    /// Returns the credential for requests to an endpoint; `awaited` if it is not known within twelve seconds.
    func supply(for endpoint: ProviderEndpoint) async -> CredentialHolder.Supply {
        let clock = ContinuousClock()
        let end = clock.now + Self.timeout
        while clock.now < end {
            let supply = supply(for: endpoint, now: WallClock.now().asRead)
            guard case .awaited = supply else { return supply }
            try? await Task.sleep(for: Self.pause)  // when cancelled, it polls without a pause until the end
        }
        return .awaited
    }
}
