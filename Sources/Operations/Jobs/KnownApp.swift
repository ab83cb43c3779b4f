package import Campaigns
package import PushProviders
package import Settings

/// An app as this process knows it: what its jobs are checked and compiled with, before they are published and by
/// intake alike.
///
/// Made once for a job: a reload may change an app, and a job is compiled as it was checked.
package struct KnownApp: Sendable {
    private let accounts: [ProviderName: any ProviderAccount]
    private let rules: AppContentRules
    /// True if its pushes carry the `fanfare` object; nil if that is not known here.
    private let signs: Bool?

    /// Makes the app of `apps.yaml`; nil: the app is not in it, and nothing is known of it.
    package init(_ configuration: AppConfiguration?) {
        accounts = Self.byProvider(configuration?.allAccounts ?? [])
        rules = configuration?.rules ?? AppContentRules()
        signs = configuration.map { $0.messageKeys != nil }
    }

    /// Makes the app of a worker, which has a key for its message ids or sends none.
    package init(_ app: String, in directory: AppDirectory) {
        let (loaded, setting) = directory.app(app)
        accounts = Self.byProvider(loaded.map(\.account))
        rules = setting?.rules ?? AppContentRules()
        signs = loaded.contains { $0.messageKeys != nil }
    }

    private static func byProvider(_ accounts: [any ProviderAccount]) -> [ProviderName: any ProviderAccount] {
        Dictionary(accounts.map { ($0.provider.name, $0) }) { first, _ in first }
    }

    /// Returns the content of a job for a provider, with the defaults of the app's settings.
    package func variants(of job: Job, for provider: any PushProvider) -> ContentVariants {
        ContentVariants(completed(job, for: provider), provider, carriesMessageID: signs == true)
    }

    /// Checks a job with providers, with the app's accounts as far as they are here, and with its declarations.
    package func check(_ job: Job, with providers: [any PushProvider], now: Timestamp) -> JobCheck {
        var result = JobCheck()
        let sent = job.asSent(at: now)
        for provider in providers {
            let found = provider.check(completed(sent, for: provider), carriesMessageID: signs == true)
            let account = accounts[provider.name]?.check(sent) ?? JobCheck()
            result.problems += found.problems + account.problems
            result.warnings += found.warnings + account.warnings
        }
        result.problems += rules.problems(sent)
        if signs == false {
            result.problems += NamedContent.problems(sent)
            result.warnings += MediaAddress.warnings(sent)
        } else {
            result.warnings += FanfareObject.warnings(sent)
        }
        result.problems += RepeatCheck.problems(job, now: now)
        return result
    }

    private func completed(_ job: Job, for provider: any PushProvider) -> Job {
        rules.completed(accounts[provider.name]?.completed(job) ?? job, for: provider.name)
    }
}
