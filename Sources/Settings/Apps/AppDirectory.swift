package import Campaigns
package import Delivery
import PushProviders
package import Store
import Synchronization
import TLS

/// The apps whose credentials this process has, with everything loaded.
///
/// Made at the start. A reload compares a new reading with the snapshot in use and swaps that whole: it adds, replaces
/// and removes accounts and settings. May be used from any thread. An unusable key file is an error that names the
/// file.
package final class AppDirectory: Sendable {
    /// Everything that a reload replaces.
    fileprivate struct Snapshot {
        var accounts: [AccountKey: LoadedAccount]
        var settings: [String: AppSetting]
        /// The accounts that reloads have removed: a claim from before may be granted after it.
        var gone: [AccountKey: LoadedAccount] = [:]
    }

    private let inUse: Mutex<Snapshot>

    /// An account and its replacement.
    package struct Replacement: Sendable {
        /// The account in use.
        package let old: LoadedAccount
        /// The account that takes its place.
        package let new: LoadedAccount
    }

    /// A new reading of the apps file, compared with the snapshot in use.
    package struct Reading: Sendable {
        /// The accounts of known apps that have changed, sorted by name.
        package let replacements: [Replacement]
        /// The settings of known apps that have changed, sorted by app.
        package let changes: [(app: String, part: AppSetting.Part)]
        /// The accounts that are new, sorted.
        package let added: [LoadedAccount]
        /// The accounts that are gone, sorted.
        package let gone: [LoadedAccount]
        /// The apps that are new, sorted.
        package let newApps: [String]
        /// The apps that are in use and in the file, sorted.
        fileprivate let knownApps: [String]
        fileprivate let snapshot: Snapshot

        /// True if nothing is new, has changed or is gone.
        package var isSame: Bool {
            replacements.isEmpty && changes.isEmpty && added.isEmpty && newApps.isEmpty && gone.isEmpty
        }

        /// Returns the answer to a reload order with what this reading takes over.
        package func answer(to order: Int64, at instant: Timestamp) -> ReloadAnswer {
            let accounts = replacements.map(\.new) + added
            let touched = Set(changes.map(\.app) + accounts.map(\.app)).subtracting(newApps)
            let changed = knownApps.filter(touched.contains)
            var answer = ReloadAnswer(to: order, at: instant, unchanged: knownApps.count - changed.count)
            let left = gone.filter { !$0.isCompanion }
            (answer.new, answer.changed, answer.gone) = (newApps, changed, left.map(\.key.description))
            return answer
        }
    }

    /// Loads the accounts of `apps.yaml`.
    package init(_ configurations: [AppConfiguration]) throws(ConfigurationError) {
        let accounts = try Self.load(configurations, known: [:], gone: [:])
        inUse = Mutex(Snapshot(accounts: accounts, settings: Self.settings(configurations)))
    }

    /// The names of all apps with an account, sorted.
    package var names: [String] { Set(inUse.withLock(\.accounts).keys.map(\.app)).sorted() }

    // MARK: - Reloading

    /// Compares a new reading of the apps file with the snapshot in use; changes nothing.
    ///
    /// An unchanged account stays the same object, and an unchanged key keeps its provider token.
    package func compare(_ configurations: [AppConfiguration]) throws(ConfigurationError) -> Reading {
        let known = inUse.withLock { $0 }
        let read = try Self.load(configurations, known: known.accounts, gone: known.gone)
        let settings = Self.settings(configurations)
        let leaving = known.accounts.filter { read[$0.key] == nil }
        return Reading(
            replacements: known.accounts.keys.sorted().compactMap { key in
                guard let old = known.accounts[key], let new = read[key], old !== new else { return nil }
                return Replacement(old: old, new: new)
            },
            changes: known.settings.sorted { $0.key < $1.key }.flatMap { app, old in
                (settings[app]?.changes(from: old) ?? []).map { (app, $0) }
            },
            added: read.filter { known.accounts[$0.key] == nil }.sorted { $0.key < $1.key }.map(\.value),
            gone: leaving.sorted { $0.key < $1.key }.map(\.value),
            newApps: settings.keys.filter { known.settings[$0] == nil }.sorted(),
            knownApps: settings.keys.filter { known.settings[$0] != nil }.sorted(),
            snapshot: Snapshot(
                accounts: read,
                settings: settings,
                gone: known.gone.merging(leaving) { $1 }.filter { read[$0.key] == nil }
            )
        )
    }

    /// Puts a reading into use.
    package func use(_ reading: Reading) {
        inUse.withLock { $0 = reading.snapshot }
        for account in reading.gone { account.leave() }
    }

    // MARK: - Accounts

    /// Returns an app's account with a provider.
    package func account(app: String, provider: ProviderName) -> LoadedAccount? {
        inUse.withLock { $0.accounts[AccountKey(app: app, provider: provider)] }
    }

    /// Returns the account of a run: a claim is granted to a worker that has the account, which may be gone since.
    package func runAccount(app: String, provider: ProviderName) -> LoadedAccount? {
        let key = AccountKey(app: app, provider: provider)
        return inUse.withLock { $0.accounts[key] ?? $0.gone[key] }
    }

    /// Returns an app's accounts and settings as one reload left them.
    package func app(_ name: String) -> (accounts: [LoadedAccount], setting: AppSetting?) {
        let snapshot = inUse.withLock { $0 }
        return (snapshot.accounts.filter { $0.key.app == name }.map(\.value), snapshot.settings[name])
    }

    /// Returns the ages of the provider tokens of accounts whose requests all carry the same one.
    package func credentialAges(now: Timestamp) -> [AccountKey: Duration] {
        inUse.withLock(\.accounts).compactMapValues { $0.token?.madeAt.map { max(.zero, now.since($0)) } }
    }

    /// The state of all credentials, sorted by app and provider, and the version of each app's entry in the file.
    package var health: WorkerHealth {
        let snapshot = inUse.withLock { $0 }
        return WorkerHealth(
            credentials: snapshot.accounts.sorted { $0.key < $1.key }.compactMap { _, account in
                let health = account.health
                // A companion has the key of its account, so only a refusal of its own is news.
                return account.isCompanion && health.refusal == nil ? nil : health
            },
            versions: snapshot.settings.mapValues(\.version)
        )
    }

    // MARK: - Settings

    /// Returns the settings of an app; nil for an app that is not known here.
    package func setting(of app: String) -> AppSetting? { inUse.withLock { $0.settings[app] } }

    /// Returns the rate of all campaigns of an app together; nil when it has none.
    package func pace(of app: String) -> Pace? { setting(of: app)?.pace }

    /// Returns the limits on how often one device of an app may be sent to.
    package func cap(of app: String) -> FrequencyCap { setting(of: app)?.cap ?? FrequencyCap() }

    /// The events of each shard that each app asks for.
    package var askedEvents: [String: AskedEvents] { inUse.withLock(\.settings).mapValues(\.askedEvents) }

    /// The webhooks of each app; an app without webhooks has an empty list.
    package var webhooks: [String: [Webhook]] { inUse.withLock(\.settings).mapValues(\.webhooks) }

    /// The webhooks in the ledger's form.
    package var webhookEntries: [String: [WebhookEntry]] { webhooks.mapValues { $0.map(\.entry) } }

    // MARK: - Loading

    private static func settings(_ configurations: [AppConfiguration]) -> [String: AppSetting] {
        Dictionary(uniqueKeysWithValues: configurations.map { ($0.name, AppSetting($0)) })
    }

    private static func load(
        _ configurations: [AppConfiguration],
        known: [AccountKey: LoadedAccount],
        gone: [AccountKey: LoadedAccount]
    ) throws(ConfigurationError) -> [AccountKey: LoadedAccount] {
        var loaded: [AccountKey: LoadedAccount] = [:]
        for configuration in configurations {
            for settings in configuration.accounts.flatMap(\.withCompanions) {
                let key = AccountKey(app: configuration.name, provider: settings.account.provider.name)
                let fingerprint = AccountFingerprint(settings, messageKeys: configuration.messageKeys)
                if let same = known[key], same.fingerprint == fingerprint {
                    loaded[key] = same
                    continue
                }
                let others = Array(loaded.values) + Array(known.values) + Array(gone.values)
                let holder = others.first { $0.fingerprint.hasKey(of: fingerprint) }?.token
                loaded[key] = try load(configuration, settings, fingerprint, holder)
            }
        }
        return loaded
    }

    private static func load(
        _ app: AppConfiguration,
        _ settings: AccountConfiguration,
        _ fingerprint: AccountFingerprint,
        _ holder: CredentialHolder?
    ) throws(ConfigurationError) -> LoadedAccount {
        do throws(TLSError) {
            var identity: TLSClientContext.Identity?
            var token: CredentialHolder?
            var expiresAt: Timestamp?
            switch settings.account.credential {
            case .token(let credential):
                let key = try settings.signingKey(credential)
                let fetcher = TokenFetcher { settings.trust(at: $0) }
                token = holder ?? CredentialHolder(credential, key: key, fetcher: fetcher)
            case .certificate(let certificate, let privateKey):
                identity = settings.identity(certificate, privateKey)
                expiresAt = identity?.endsAt.map { Timestamp(milliseconds: $0 * 1000) }
            }
            let tls = try TLSClientContext(trust: settings.trust, identity: identity)
            return LoadedAccount(
                app: app.name,
                account: settings.account,
                fingerprint: fingerprint,
                tls: tls,
                token: token,
                expiresAt: expiresAt,
                messageKeys: app.messageKeys
            )
        } catch {
            throw ConfigurationError([
                ConfigurationProblem(
                    location: settings.location,
                    key: "apps.\(app.name).\(settings.account.provider.name.rawValue)",
                    code: "invalid_key",
                    detail: error.message
                )
            ])
        }
    }
}
