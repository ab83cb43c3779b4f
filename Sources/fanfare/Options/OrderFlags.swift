import ArgumentParser
import Campaigns

/// The flags of a command that changes something: rehearsal, configuration and output.
struct OrderFlags: ParsableArguments {
    @OptionGroup private var trial: DryRunOptions
    @OptionGroup var options: ConfigurationOptions
    @OptionGroup private var output: OutputOptions

    var isDryRun: Bool { trial.dryRun }
    var isJSON: Bool { output.json }

    /// Prints a line for people or the document, which is marked if it is a dry run.
    func write(_ line: String, _ document: JSONValue) { output.write(line, trial.marked(document)) }
}
