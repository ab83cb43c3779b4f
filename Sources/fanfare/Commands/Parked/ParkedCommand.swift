import ArgumentParser
import Campaigns
import Operations
import Store

/// The commands about messages that wait for a person.
struct ParkedCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "parked",
        abstract: "Messages set aside because they cannot be read, or because they keep killing workers.",
        subcommands: [List.self, Show.self, ParkedReplayCommand.self, ParkedDiscardCommand.self]
    )

    /// Lists the parked messages.
    struct List: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print the parked messages, the latest first.",
            discussion: "Example: fanfare parked list --campaign news/derby"
        )

        @Option(help: "How many at most.")
        var limit = 100

        @OptionGroup var choice: ParkedFilterOptions
        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func validate() throws {
            guard limit > 0 else { throw ValidationError("--limit is a number from 1") }
        }

        func run() async throws {
            let (limit, filter) = (limit, choice.filter)
            let rows = try await options.withLedger { ledger in
                try await ledger.read { try $0.parked(limit: limit, filter) }.map { ParkedRow($0) }
            }
            output.write(ParkedRow.table(rows), JSONValue.array(rows.map(\.json)))
        }
    }

    /// Shows one message with its problems and its body.
    struct Show: AsyncParsableCommand {
        static let configuration = CommandConfiguration(
            abstract: "Print one parked message: what is wrong with it, its headers and its body.",
            discussion: "Example: fanfare parked show 12"
        )

        @Argument(help: "Its number, from parked list.")
        var id: Int64

        @OptionGroup var options: ConfigurationOptions
        @OptionGroup var output: OutputOptions

        func run() async throws {
            let id = id
            let message = try await options.withLedger { ledger in
                guard let message = try await ledger.read({ try $0.parked(id: id) }) else {
                    throw CommandFailure(.notFound, "the ledger \(ledger.path) has no parked message \(id)")
                }
                return message
            }
            let row = ParkedRow(message)
            let body = String(validating: message.body, as: UTF8.self)
            guard output.json else {
                let shown = body.map { lines($0) } ?? "\(message.body.count) bytes that are not text"
                Terminal.write("\(row.text)\n\nheaders  \(TerminalText.safe(message.headers))\n\n\(shown)\n")
                return
            }
            Terminal.write(ParkedRow.document(message).text + "\n")
        }

        /// Returns a producer's text line by line; control characters other than line breaks do not reach the terminal.
        private func lines(_ text: String) -> String {
            text.split(separator: "\n", omittingEmptySubsequences: false).map { TerminalText.safe(String($0)) }
                .joined(separator: "\n")
        }
    }
}
