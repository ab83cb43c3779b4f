import ArgumentParser
import Campaigns
import Operations

/// The option to rehearse an order: the same flag on all of them.
struct DryRunOptions: ParsableArguments {
    @Flag(help: "Print what would happen; change nothing.")
    var dryRun = false

    /// Returns an order's document, marked if it is a dry run.
    func marked(_ document: JSONValue) -> JSONValue { document.marked(isDryRun: dryRun) }
}
