import Logging
import Testing

@testable import Fleet
@testable import Settings
@testable import Store

/// A worker that does not start.
struct WorkerStartTests {
    @Test(arguments: [false, true])
    func `the ledger is closed when a later step of the start fails, and only then`(fails: Bool) async throws {
        let folder = try ScratchFolder()
        let location = Configuration.StoreLocation.sqlite(path: folder.path + "/ledger.db")
        var opened: Ledger?
        do {
            try await Worker.withLedger(location, Logger(label: "test")) { ledger in
                opened = ledger
                if fails { throw WorkerError.topology(["no exchange"]) }
            }
            #expect(!fails)
        } catch let error as WorkerError {
            #expect(fails && error.description == "no exchange")
        }
        let ledger = try #require(opened)
        if fails {
            await #expect(throws: LedgerError.closed) { try await ledger.read { try $0.parkedCount() } }
        } else {
            #expect(try await ledger.read { try $0.parkedCount() } == 0)
            await ledger.close()
        }
    }
}
