import ArgumentParser
import Campaigns
import Operations
import Store

/// The commands about the webhooks of apps.yaml.
struct WebhookCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "webhook",
        abstract: "The webhooks that events are posted to.",
        subcommands: [List.self, Resume.self]
    )

    /// Lists the webhooks with their state.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "List the webhooks, the events waiting for each, and why they are not taken.",
            discussion: """
                A webhook that takes nothing is tried again after 5 s, then after twice as long each time, up to an hour. \
                After three days of that, or after 410, it is given up until its entry in apps.yaml changes or somebody \
                resumes it; events wait for three days. Of its address only the host is shown.

                Example: fanfare webhook list --app news
                """
        )

        @Option(help: "Only of this app.")
        var app: String?

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await options.withLedger { ledger in
                let app = app
                let views = try await ledger.read { try $0.webhooks(app: app) }.map { WebhookView($0) }
                let headings = WebhookView.headings.map { ($0, $0 == "waiting" ? TextTable.Alignment.right : .left) }
                let table = TextTable(headings, rows: views.map(\.row))
                output.write(views.isEmpty ? "no webhooks" : table.text, .array(views.map(\.json)))
            }
        }
    }

    /// Has one webhook tried again.
    struct Resume: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract:
                "Try a webhook at once, also one that was given up; its waiting events are posted from the first on.",
            discussion: "Example: fanfare webhook resume 3"
        )

        @Argument(help: "Its id, as fanfare webhook list shows it.")
        var id: Int64

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            try await options.withLedger { ledger in
                let id = id
                let now = ledger.now()
                let resumed = try await ledger.write(.synced) { try $0.resumeWebhook(id, now: now) }
                guard let record = resumed else {
                    throw CommandFailure(
                        .notFound,
                        "the ledger \(ledger.path) has no webhook \(id); see fanfare webhook list"
                    )
                }
                let view = WebhookView(record)
                output.write("\(view.name) is tried again: \(view.detail)", view.json)
            }
        }
    }
}
