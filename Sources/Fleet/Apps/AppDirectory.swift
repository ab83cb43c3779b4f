import Campaigns
import Delivery
import PushProviders
import Store
import Synchronization
import TLS

/// The apps whose credentials this process has, with everything loaded.
///
/// Made at the start; a reload replaces accounts, never the set of apps. May be used from any thread. An unusable key
/// file is an error that names the file.
final class AppDirectory: Sendable {
    private let accounts: Mutex<[Key: LoadedAccount]>
    private let paces: Mutex<[String: Pace]>
    private let caps: Mutex<[String: FrequencyCap]>
    private let asked: Mutex<[String: AskedEvents]>
    private let hooks: Mutex<[String: [Webhook]]>
    private let rules: Mutex<[String: AppContentRules]>
    /// The names of all apps, sorted.
    let names: [String]
    /// The default time zones of devices, by app, as they were at the start.
    let timeZones: [String: String]

    private struct Key: Hashable, Comparable {
        var app: String
        var provider: ProviderName

        static func < (left: Key, right: Key) -> Bool {
            (left.app, left.provider.rawValue) < (right.app, right.provider.rawValue)
        }
    }

    /// An account and its replacement.
    struct Replacement: Sendable {
        let old: LoadedAccount
        let new: LoadedAccount
    }

    /// The changes in a new reading of the apps file.
    struct Reading: Sendable {
        /// The accounts of known apps that have changed, sorted by name.
        let replacements: [Replacement]
        /// The accounts that are new or gone, as `app (provider)`; only a new process can apply that.
        let unknown: [String]
        let missing: [String]
        /// The apps' rates.
        let paces: [String: Pace]
        /// The limits on how often one device may be sent to, by app.
        let caps: [String: FrequencyCap]
        /// The events of each shard that apps ask for.
        let asked: [String: AskedEvents]
        /// The webhooks of the apps.
        let webhooks: [String: [Webhook]]
        /// The rules that the apps' declarations make for content.
        let rules: [String: AppContentRules]
    }

    /// Loads the accounts of `apps.yaml`.
    init(_ configurations: [AppConfiguration]) throws(ConfigurationError) {
        let accounts = try Self.load(configurations, known: [:])
        timeZones = Dictionary(configurations.map { ($0.name, $0.timeZone) }) { first, _ in first }.compactMapValues {
            $0
        }
        names = Set(accounts.keys.map(\.app)).sorted()
        self.accounts = Mutex(accounts)
        paces = Mutex(Self.paces(configurations))
        caps = Mutex(Self.caps(configurations))
        asked = Mutex(Self.asked(configurations))
        hooks = Mutex(Self.webhooks(configurations))
        rules = Mutex(Self.rules(configurations))
    }

    /// Returns an app's account with a provider.
    func account(app: String, provider: ProviderName) -> LoadedAccount? {
        accounts.withLock { $0[Key(app: app, provider: provider)] }
    }

    /// Returns the ages of the provider tokens of accounts whose requests all carry the same one.
    func credentialAges(now: Timestamp) -> [ProviderMetrics.Key: Duration] {
        let accounts = accounts.withLock { Array($0.values) }
        let ages = accounts.compactMap { account in
            account.token?.age(now: now).map { (ProviderMetrics.Key(account), $0) }
        }
        return Dictionary(uniqueKeysWithValues: ages)
    }

    /// Compares a new reading of the apps file with the one in use; changes nothing.
    ///
    /// An unchanged account stays the same object, and an unchanged key keeps its provider token.
    func compare(_ configurations: [AppConfiguration]) throws(ConfigurationError) -> Reading {
        let known = accounts.withLock { $0 }
        let read = try Self.load(configurations, known: known)
        return Reading(
            replacements: known.keys.sorted().compactMap { key in
                guard let old = known[key], let new = read[key], old !== new else { return nil }
                return Replacement(old: old, new: new)
            },
            unknown: read.keys.filter { known[$0] == nil }.sorted().map(Self.text),
            missing: known.keys.filter { read[$0] == nil }.sorted().map(Self.text),
            paces: Self.paces(configurations),
            caps: Self.caps(configurations),
            asked: Self.asked(configurations),
            webhooks: Self.webhooks(configurations),
            rules: Self.rules(configurations)
        )
    }

    /// Puts accounts into use.
    func replace(_ replacements: [Replacement]) {
        accounts.withLock { accounts in
            for new in replacements.map(\.new) {
                accounts[Key(app: new.app, provider: new.account.provider.name)] = new
            }
        }
    }

    /// Returns the rate of all campaigns of an app together; nil when it has none.
    func pace(of app: String) -> Pace? { paces.withLock { $0[app] } }

    /// Puts rates into use; returns the apps whose rate has changed, sorted.
    func take(_ new: [String: Pace]) -> [String] {
        paces.withLock { paces in
            defer { paces = new }
            return Set(paces.keys).union(new.keys).filter { paces[$0] != new[$0] }.sorted()
        }
    }

    /// Returns the limits on how often one device of an app may be sent to.
    func cap(of app: String) -> FrequencyCap { caps.withLock { $0[app] ?? FrequencyCap() } }

    /// Puts frequency caps into use; returns the apps whose cap has changed, sorted.
    func take(_ new: [String: FrequencyCap]) -> [String] {
        caps.withLock { caps in
            defer { caps = new }
            return new.keys.filter { caps[$0] != new[$0] }.sorted()
        }
    }

    /// The events of each shard that each app asks for.
    var askedEvents: [String: AskedEvents] { asked.withLock { $0 } }

    /// Puts the asked events into use; returns the apps that ask for others now, sorted.
    func take(_ new: [String: AskedEvents]) -> [String] {
        asked.withLock { asked in
            defer { asked = new }
            return new.keys.filter { asked[$0] != new[$0] }.sorted()
        }
    }

    /// The webhooks of each app; an app without webhooks has an empty list.
    var webhooks: [String: [Webhook]] { hooks.withLock { $0 } }

    /// The webhooks in the ledger's form.
    var webhookEntries: [String: [WebhookEntry]] { webhooks.mapValues { $0.map(\.entry) } }

    /// Puts webhooks into use; returns the apps whose webhooks have changed, sorted.
    func take(_ new: [String: [Webhook]]) -> [String] {
        hooks.withLock { hooks in
            defer { hooks = new }
            return new.keys.filter { hooks[$0]?.map(\.entry) != new[$0]?.map(\.entry) }.sorted()
        }
    }

    /// Returns the content rules of an app; no rules for an app that is not known here.
    func rules(of app: String) -> AppContentRules { rules.withLock { $0[app] ?? AppContentRules() } }

    /// Puts content rules into use; returns the apps whose rules have changed, sorted.
    func take(_ new: [String: AppContentRules]) -> [String] {
        rules.withLock { rules in
            defer { rules = new }
            return new.keys.filter { rules[$0] != new[$0] }.sorted()
        }
    }

    private static func rules(_ configurations: [AppConfiguration]) -> [String: AppContentRules] {
        Dictionary(uniqueKeysWithValues: configurations.map { ($0.name, $0.rules) })
    }

    private static func webhooks(_ configurations: [AppConfiguration]) -> [String: [Webhook]] {
        Dictionary(uniqueKeysWithValues: configurations.map { ($0.name, $0.webhooks) })
    }

    private static func asked(_ configurations: [AppConfiguration]) -> [String: AskedEvents] {
        Dictionary(uniqueKeysWithValues: configurations.map { ($0.name, $0.askedEvents) })
    }

    private static func caps(_ configurations: [AppConfiguration]) -> [String: FrequencyCap] {
        Dictionary(uniqueKeysWithValues: configurations.map { ($0.name, $0.frequencyCap) })
    }

    private static func paces(_ configurations: [AppConfiguration]) -> [String: Pace] {
        let pairs = configurations.compactMap { app in app.perSecond.map { (app.name, Pace(perSecond: $0)) } }
        return Dictionary(uniqueKeysWithValues: pairs)
    }

    private static func text(_ key: Key) -> String { "\(key.app) (\(key.provider.rawValue))" }

    private static func load(
        _ configurations: [AppConfiguration],
        known: [Key: LoadedAccount]
    ) throws(ConfigurationError) -> [Key: LoadedAccount] {
        var loaded: [Key: LoadedAccount] = [:]
        for configuration in configurations {
            for settings in configuration.accounts {
                let key = Key(app: configuration.name, provider: settings.account.provider.name)
                let fingerprint = AccountFingerprint(settings, messageKeys: configuration.messageKeys)
                if let same = known[key], same.fingerprint == fingerprint {
                    loaded[key] = same
                    continue
                }
                let others = Array(loaded.values) + Array(known.values)
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
            switch settings.account.credential {
            case .token(let credential):
                let key = try settings.signingKey(credential)
                let fetcher = TokenFetcher { settings.trust(at: $0) }
                token = holder ?? CredentialHolder(credential, key: key, fetcher: fetcher)
            case .certificate(let certificate, let privateKey):
                identity = settings.identity(certificate, privateKey)
            }
            let tls = try TLSClientContext(trust: settings.trust, identity: identity)
            return LoadedAccount(
                app: app.name,
                account: settings.account,
                fingerprint: fingerprint,
                tls: tls,
                token: token,
                messageKeys: app.messageKeys
            )
        } catch {
            throw ConfigurationError([
                ConfigurationProblem(
                    place: settings.place,
                    key: "apps.\(app.name).\(settings.account.provider.name.rawValue)",
                    code: "invalid_key",
                    detail: error.message
                )
            ])
        }
    }
}
