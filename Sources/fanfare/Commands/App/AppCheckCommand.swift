import ArgumentParser
import Campaigns
import Logging
import Operations
import PushProviders
import Settings

/// Tries the keys, so that a wrong one is found before the first push.
struct AppCheckCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "check",
        abstract: "Read the apps file and try every key and certificate, without sending a push.",
        discussion: """
            Each provider's host is asked for its time, with a request without a device and without a provider \
            token: a provider token is judged by the time in it, so a wrong clock looks like a wrong key. A clock \
            that is a minute off ends with 1; an unreachable host is reported. --offline contacts nobody.

            Example: fanfare app check news
            """
    )

    @Argument(help: "Only this app.")
    var name: String?

    @Flag(help: "Connect to no provider.")
    var offline = false

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        // The table shows the failures.
        StandardErrorLog.install(Configuration.LogSettings(level: .critical))
        let configuration = try options.load()
        let file = configuration.appsFile
        let apps = try AppsFile.read(path: file, webhookHosts: configuration.webhookHosts)
            .filter { name == nil || $0.name == name }
        if let name, apps.isEmpty { throw CommandFailure(.notFound, "\(file) has no app \(name)") }
        let probes = offline ? [:] : try await ProviderProbe.probe(apps)
        output.write(Self.table(apps, probes).text, .array(apps.map { Self.json($0, probes) }))
        if let wrong = probes.values.first(where: \.isClockWrong) { throw CommandFailure(.failed, wrong.text) }
    }

    private static func json(_ app: AppConfiguration, _ probes: [String: ProviderProbe]) -> JSONValue {
        let accounts = app.accounts.map(\.account).map { account in
            let fields = account.summary.map { JSONMember($0.name, .string($0.value)) }
            let probe = probes[account.endpoint(nil).url].map(json) ?? []
            return JSONMember(account.provider.name.rawValue, .object(fields + probe))
        }
        let keys = app.keysJSON.map { JSONMember("message_key_epochs", $0) }
        return .object([JSONMember("app", .string(app.name))] + accounts + [keys].compactMap(\.self))
    }

    private static func json(_ probe: ProviderProbe) -> [JSONMember] {
        switch probe {
        case .answered(let skew):
            let lead = skew.map { JSONValue.number(JSONNumber($0.lead.components.seconds)) }
            return [JSONMember("reached", true), JSONMember("clock_lead_seconds", lead ?? .null)]
        case .failed(let reason):
            return [JSONMember("reached", false), JSONMember("unreached_reason", .string(reason))]
        }
    }

    /// Returns a table with a column for every field of any provider.
    private static func table(_ apps: [AppConfiguration], _ probes: [String: ProviderProbe]) -> TextTable {
        let rows = apps.flatMap { app in app.accounts.map { (app: app, account: $0.account) } }
        var columns: [String] = []
        for name in rows.flatMap({ $0.account.summary.map(\.name) }) where !columns.contains(name) {
            columns.append(name)
        }
        let more = ["message_key"] + (probes.isEmpty ? [] : ["reach"])
        var table = TextTable((["app", "provider"] + columns + more).map { ($0, .left) })
        for row in rows {
            let summary = row.account.summary
            let cells = columns.map { name in summary.first { $0.name == name }?.value ?? "" }
            let keys = row.app.messageKeys?.description ?? "none"
            let probe = probes[row.account.endpoint(nil).url].map { [$0.text] } ?? []
            table.add([row.app.name, row.account.provider.name.rawValue] + cells + [keys] + probe)
        }
        return table
    }
}
