import Campaigns
import Fleet
import PushProviders

/// Whether every app has keys that work and providers that can be reached.
struct AppChecks {
    let configuration: Configuration
    /// Whether no provider is asked for anything.
    let isOffline: Bool

    /// All of them; nobody gets a push.
    func run() async -> [Finding] {
        do throws(ConfigurationError) {
            let apps = try AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
            var findings = [Finding.well("apps", apps.map(\.name).joined(separator: ", "))]
            guard !isOffline else { return findings }
            let reaches = try await ProviderReach.look(apps)
            for app in apps {
                let credentials = try await CredentialReach.look(app)
                for account in app.accounts.map(\.account) {
                    let name = "\(app.name) \(account.provider.name.rawValue)"
                    let url = account.endpoint(nil).url
                    if let reach = reaches[url] { findings.append(Self.reach(reach, name, url)) }
                    if let token = credentials[account.provider.name] { findings.append(Self.token(token, name)) }
                }
            }
            return findings
        } catch {
            return error.problems.map { .wrong("apps", $0.line, fix: "mend it there, then fanfare app check") }
        }
    }

    /// What a look at a provider's host means.
    static func reach(_ reach: ProviderReach, _ name: String, _ url: String) -> Finding {
        switch reach {
        case .failed(let reason):
            .wrong(
                "\(name) reach",
                "\(url): \(reason)",
                fix: "let this machine reach it: firewall, proxy, DNS, ca_file"
            )
        case .answered where reach.isClockWrong:
            .wrong("\(name) clock", reach.text, fix: "set this machine's clock right (NTP)")
        case .answered: .well("\(name) reach", "\(url), \(reach.text)")
        }
    }

    /// What there is to show for the app.
    static func token(_ reach: CredentialReach, _ name: String) -> Finding {
        switch reach {
        case .ready: .well("\(name) credential", "there")
        case .refused(let reason):
            .wrong("\(name) credential", "no token: \(reason)", fix: "check the key in the provider's console")
        case .passing(let reason):
            .wrong(
                "\(name) credential",
                "no token now: \(reason)",
                fix: "let this machine reach the token endpoint; workers ask again by themselves"
            )
        case .unanswered:
            .wrong("\(name) credential", "the token endpoint does not answer", fix: "let this machine reach it")
        }
    }
}
