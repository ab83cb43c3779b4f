import ArgumentParser
import Campaigns
import Fleet
import Store

/// A look before the leap: the same flag on every order.
struct DryRunOptions: ParsableArguments {
    @Flag(help: "Tell what it would come to, and change nothing.")
    var dryRun = false

    /// Puts the fact into a document that an order prints.
    func marked(_ document: JSONValue) -> JSONValue {
        guard dryRun, case .object(let members) = document else { return document }
        return .object(members + [JSONMember("dry_run", true)])
    }
}

extension Ledger {
    /// Carries out an order: in a synced transaction, or in one that is rolled back.
    func order<T: Sendable>(
        isDryRun: Bool,
        _ body: @escaping @Sendable (LedgerTransaction) throws -> T
    ) async throws(LedgerError) -> T {
        isDryRun ? try await rehearse(body) : try await write(.synced, body)
    }
}
