import ArgumentParser
import Campaigns
import Foundation
import Operations
import Store

/// Prints the facts about a content, or writes the content itself.
struct ContentShowCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Print a content's facts, or write the content itself into a file.",
        discussion: """
            Examples:
              fanfare content show c-81 --app news
              fanfare content show c-81 --app news --out coupon.png
            """
    )

    @OptionGroup var choice: ContentChoice

    @Option(help: "Write the content into this file; - is standard output.")
    var out: String?

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup var output: OutputOptions

    func run() async throws {
        let (app, id) = (choice.app, choice.id)
        let found = try await options.withLedger { ledger in
            try await ledger.read { try $0.content(app: app, id: id) }
        }
        guard let content = found else { throw choice.missing }
        if out == "-" {
            FileHandle.standardOutput.write(Data(content.bytes))
            return
        }
        if let out {
            guard FileManager.default.createFile(atPath: out, contents: Data(content.bytes)) else {
                throw CommandFailure(.usage, "the file \(out) cannot be written")
            }
        }
        let row = ContentRow(content)
        output.write(ContentRow.table([row]), row.json)
    }
}
