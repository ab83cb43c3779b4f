import ArgumentParser
import Campaigns

/// The option to rehearse an order: the same flag on all of them.
struct DryRunOptions: ParsableArguments {
    @Flag(help: "Print what would happen; change nothing.")
    var dryRun = false

    /// Returns an order's document, marked if it is a dry run.
    func marked(_ document: JSONValue) -> JSONValue {
        guard dryRun, case .object(let members) = document else { return document }
        return .object(members + [JSONMember("dry_run", true)])
    }
}
