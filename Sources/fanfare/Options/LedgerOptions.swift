import ArgumentParser
import Campaigns
import Operations
import Settings
import Store

extension ConfigurationOptions {
    /// Opens the existing ledger and closes it after `body`; never creates one.
    func withLedger<Value>(_ body: (Ledger) async throws -> Value) async throws -> Value {
        let configuration = try load()
        do {
            let ledger = try Ledger.open(configuration.store, create: false)
            do {
                let value = try await body(ledger)
                await ledger.close()
                return value
            } catch {
                await ledger.close()
                throw error
            }
        } catch let error as LedgerError {
            throw CommandFailure(error)
        }
    }
}

/// A campaign as an operator names it: `ID` or `APP/ID`.
struct CampaignArgument: ExpressibleByArgument {
    let app: String?
    let id: String

    init?(argument: String) {
        let parts = argument.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let id = parts.last, !id.isEmpty, parts.first?.isEmpty == false else { return nil }
        app = parts.count == 2 ? String(parts[0]) : nil
        self.id = String(id)
    }

    var text: String { app.map { "\($0)/\(id)" } ?? id }

    /// Returns the failure for a campaign that the ledger lacks.
    func notFound(in ledger: Ledger) -> CommandFailure {
        CommandFailure(.notFound, "the ledger \(ledger.path) has no campaign \(text)")
    }
}
