import ArgumentParser
import Campaigns
import Delivery
import Operations
import PushProviders
import Settings
import Store

/// Lists the apps and the workers that can send for them.
struct AppListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Print the apps of the apps file and those that live workers can send for.",
        discussion: """
            WORKERS is how many live workers have the app's credentials; an app with none is refused at intake. An app \
            that only workers know is in another host's file.

            Example: fanfare app list --json
            """
    )

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let file = try AppsFile.read(path: try options.load().appsFile)
        let workers = try await options.withLedger { ledger in
            let now = ledger.now()
            return try await ledger.read { try $0.liveWorkers(now: now) }
        }
        let names = Set(file.map(\.name)).union(workers.flatMap(\.apps)).sorted()
        let rows = names.map { name in
            AppRow(name: name, app: file.first { $0.name == name }, workers: workers.filter { $0.apps.contains(name) })
        }
        output.write(AppRow.table(rows), JSONValue.array(rows.map(\.json)))
    }
}

/// An app by the apps file and the ledger.
private struct AppRow {
    let name: String
    /// Nil when this host's file lacks the app.
    let app: AppConfiguration?
    let workers: [WorkerRecord]

    /// The providers by the file, or as workers report them.
    private var providers: [String] {
        if let app { return app.accounts.map(\.account.provider.name.rawValue) }
        let known = workers.flatMap { $0.accounts.providers[name] ?? [] }
        return Set(known.map(\.rawValue)).sorted()
    }

    var json: JSONValue {
        .object([
            "app": .string(name), "in_file": .bool(app != nil),
            "providers": .array(providers.map(JSONValue.string)),
            "per_second": app?.perSecond.map { .number(JSONNumber($0)) } ?? .null,
            "default_locale": app?.defaultLocale.map(JSONValue.string) ?? .null,
            "time_zone": app?.timeZone.map(JSONValue.string) ?? .null,
            "workers": .number(JSONNumber(workers.count)),
        ])
    }

    static func table(_ rows: [AppRow]) -> String {
        var table = TextTable([
            ("app", .left), ("providers", .left), ("per_second", .right), ("locale", .left), ("time_zone", .left),
            ("workers", .right), ("", .left),
        ])
        for row in rows {
            table.add([
                row.name, row.providers.joined(separator: ", "), row.app?.perSecond.map(NumberText.grouped) ?? "",
                row.app?.defaultLocale ?? "", row.app?.timeZone ?? "", String(row.workers.count),
                row.app == nil ? "not in this file" : "",
            ])
        }
        return table.text
    }
}
