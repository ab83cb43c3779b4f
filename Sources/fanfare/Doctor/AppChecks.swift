import Campaigns
import Operations
import PushProviders
import Settings

/// Checks every app's keys and its providers' reachability.
struct AppChecks {
    let configuration: Configuration
    /// True if no provider is to be contacted.
    let isOffline: Bool

    /// Runs all checks; no push is sent.
    func run() async -> [Finding] {
        do throws(ConfigurationError) {
            let apps = try AppsFile.read(path: configuration.appsFile, webhookHosts: configuration.webhookHosts)
            var findings = [Finding.well("apps", apps.map(\.name).joined(separator: ", "))]
            guard !isOffline else { return findings }
            let probes = try await ProviderProbe.probe(apps)
            for app in apps {
                let credentials = try await CredentialProbe.probe(app)
                for account in app.accounts.map(\.account) {
                    let name = "\(app.name) \(account.provider.name.rawValue)"
                    let url = account.endpoint(nil).url
                    if let probe = probes[url] { findings.append(Self.probe(probe, name, url)) }
                    if let token = credentials[account.provider.name] { findings.append(Self.token(token, name)) }
                }
            }
            return findings
        } catch {
            return error.problems.map { .wrong("apps", $0.line, fix: "fix it there, then fanfare app check") }
        }
    }

    /// Returns the finding about a provider's host.
    static func probe(_ probe: ProviderProbe, _ name: String, _ url: String) -> Finding {
        switch probe {
        case .failed(let reason):
            .wrong(
                "\(name) reach",
                "\(url): \(reason)",
                fix: "let this machine reach it: firewall, proxy, DNS, ca_file"
            )
        case .answered where probe.isClockWrong:
            .wrong("\(name) clock", probe.text, fix: "set this machine's clock right (NTP)")
        case .answered: .well("\(name) reach", "\(url), \(probe.text)")
        }
    }

    /// Returns the finding about an app's credential.
    static func token(_ probe: CredentialProbe, _ name: String) -> Finding {
        switch probe {
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
