import ArgumentParser
import Campaigns
import Operations
import Store

/// The commands about lists of devices.
struct ListCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Lists of devices in the ledger.",
        subcommands: [Put.self, Ls.self, ListRemoveCommand.self]
    )

    /// Uploads a list.
    struct Put: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Upload a file of devices as a new version of a list.",
            discussion: """
                CSV has a header: token, provider, environment, id, locale, time_zone; every other column is a \
                variable. NDJSON has one device object a line. A device that occurs twice is taken once. A file with a \
                line that is not a device is refused as a whole.

                With --upload a job may name the list before it is there: it waits, and sends nothing until this version \
                is complete. After a cut the same command goes on: the file is read again, and what the ledger has is \
                not written again. An upload that nobody goes on with for an hour is abandoned.

                Example: fanfare list put sport devices.csv --app news --upload sport-2026-11-20
                """
        )

        @Argument(help: "The list's name.")
        var name: String

        @Argument(help: "The file, .csv or .ndjson, or - for standard input.")
        var file: String

        @Option(help: "The app of the list.")
        var app: String

        @Option(help: "csv or ndjson, when the file's name does not say it.")
        var format: String?

        @Option(help: "An id of this upload, for jobs that wait for it, and to go on after a cut.")
        var upload: String?

        @OptionGroup var flags: OrderFlags

        func validate() throws {
            if let upload, !NameRule.isID(upload) {
                throw ValidationError("--upload is 1 to 128 of the characters A-Z a-z 0-9 . _ : -")
            }
            guard NameRule.isID(name) else {
                throw ValidationError("a list's name is 1 to 128 of the characters A-Z a-z 0-9 . _ : -")
            }
            guard NameRule.isApp(app) else {
                throw ValidationError("--app is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
            }
            _ = try AudienceUpload.format(of: file, named: format)
        }

        func run() async throws {
            let source = try AudienceUpload(file, format: format, isJSON: flags.isJSON)
            let (app, name, id) = (app, name, upload)
            let uploaded =
                if flags.isDryRun {
                    try await source.run(app: app, list: name, id: id, to: nil)
                } else {
                    try await flags.options.withLedger { try await source.run(app: app, list: name, id: id, to: $0) }
                }
            uploaded.printWarnings(isJSON: flags.isJSON)
            let note = flags.isDryRun ? ", nothing written" : ""
            flags.write("\(app)/\(uploaded.line)\(note)", uploaded.json)
        }
    }

    /// Lists the lists.
    struct Ls: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the lists with their versions, the newest version of each first.",
            discussion: "Example: fanfare list ls --app news"
        )

        @Option(help: "Only this app's.")
        var app: String?

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let app = app
            let rows = try await options.withLedger { ledger in
                try await ledger.read { try $0.lists(app: app) }.compactMap { ListRow($0) }
            }
            output.write(ListRow.table(rows), JSONValue.array(rows.map(\.json)))
        }
    }
}
