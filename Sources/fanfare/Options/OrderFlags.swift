import ArgumentParser
import Campaigns
import Operations

/// The flags of a command that changes something: rehearsal, configuration and output.
struct OrderFlags: ParsableArguments {
    @Flag(name: .customLong("dry-run"), help: "Print what would happen; change nothing.")
    var isDryRun = false

    @OptionGroup var options: ConfigurationOptions
    @OptionGroup private var output: OutputOptions

    var isJSON: Bool { output.json }

    /// Prints a line for people or the document, which is marked if it is a dry run.
    func write(_ line: String, _ document: JSONValue) { output.write(line, document.marked(isDryRun: isDryRun)) }
}
