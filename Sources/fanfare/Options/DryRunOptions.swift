import ArgumentParser
import Campaigns
import Fleet
import Store

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

extension Ledger {
    /// Carries out an order in a synced transaction, or in one that is rolled back.
    func order<T: Sendable>(
        isDryRun: Bool,
        _ body: @escaping @Sendable (LedgerTransaction) throws -> T
    ) async throws(LedgerError) -> T {
        isDryRun ? try await rehearse(body) : try await write(.synced, body)
    }
}
