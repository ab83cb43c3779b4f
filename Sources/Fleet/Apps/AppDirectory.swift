import Campaigns
import PushProviders
import TLS

/// The apps that this process has credentials of, with everything loaded.
///
/// Immutable; made at start. A key file that cannot be used is an error that names it.
struct AppDirectory: Sendable {
    private let accounts: [Key: LoadedAccount]

    private struct Key: Hashable {
        var app: String
        var provider: ProviderName
    }

    /// Loads what `apps.yaml` names.
    init(_ configurations: [AppConfiguration]) throws(ConfigurationError) {
        var accounts: [Key: LoadedAccount] = [:]
        var holders: [ProviderTokenIdentity: ProviderTokenHolder] = [:]
        for configuration in configurations {
            for settings in configuration.accounts {
                let account = try Self.load(configuration.name, settings, &holders)
                accounts[Key(app: configuration.name, provider: account.account.provider.name)] = account
            }
        }
        self.accounts = accounts
    }

    /// The names of all apps, in order.
    var names: [String] { Set(accounts.keys.map(\.app)).sorted() }

    /// An app's account with a provider.
    func account(app: String, provider: ProviderName) -> LoadedAccount? {
        accounts[Key(app: app, provider: provider)]
    }

    private static func load(
        _ app: String,
        _ settings: AccountConfiguration,
        _ holders: inout [ProviderTokenIdentity: ProviderTokenHolder]
    ) throws(ConfigurationError) -> LoadedAccount {
        do throws(TLSError) {
            var identity: TLSClientContext.Identity?
            var holder: ProviderTokenHolder?
            switch settings.account.credential {
            case .providerToken(let name, let file):
                let key = try settings.signingKey(file)
                holder = holders[name] ?? ProviderTokenHolder(identity: name, key: key)
                holders[name] = holder
            case .certificate(let certificate, let privateKey):
                identity = settings.identity(certificate, privateKey)
            }
            let tls = try TLSClientContext(trust: settings.trust, identity: identity)
            return LoadedAccount(app: app, account: settings.account, tls: tls, token: holder)
        } catch {
            throw ConfigurationError([
                ConfigurationProblem(
                    place: settings.place,
                    key: "apps.\(app).\(settings.account.provider.name.rawValue)",
                    code: "invalid_key",
                    detail: error.message
                )
            ])
        }
    }
}
