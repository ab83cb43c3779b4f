import ArgumentParser
import Campaigns
import Operations
import Store

/// The commands about contents that pushes name.
struct ContentCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "content",
        abstract: "Contents that pushes name by their ids and that apps fetch: images, pages, texts.",
        subcommands: [ContentPutCommand.self, Ls.self, ContentShowCommand.self, ContentRemoveCommand.self]
    )

    /// Lists the contents.
    struct Ls: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the contents, including those that campaigns brought.",
            discussion: "Example: fanfare content ls --app news"
        )

        @Option(help: "Only this app's.")
        var app: String?

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let app = app
            let rows = try await options.withLedger { ledger in
                try await ledger.read { try $0.contents(app: app) }.map { ContentRow($0) }
            }
            output.write(ContentRow.table(rows), JSONValue.array(rows.map(\.json)))
        }
    }
}

/// A content of an app.
struct ContentChoice: ParsableArguments {
    @Argument(help: "The content's id: content.rich.id of the job.")
    var id: String

    @Option(help: "The app that it belongs to.")
    var app: String

    func validate() throws {
        guard NameRule.isApp(app) else {
            throw ValidationError("--app is 1 to 128 of the characters A-Z a-z 0-9 . _ -")
        }
    }

    var text: String { "\(app)/\(id)" }

    var missing: CommandFailure { CommandFailure(.notFound, "\(app) has no content \(id)") }
}
