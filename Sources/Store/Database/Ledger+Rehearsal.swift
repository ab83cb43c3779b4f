import Synchronization

extension Ledger {
    /// Runs a body as `write` does, rolls its writes back and returns its result.
    ///
    /// Throws the body's error, as `write` does.
    public func rehearse<T: Sendable>(
        _ body: @escaping @Sendable (LedgerTransaction) throws -> T
    ) async throws(LedgerError) -> T {
        let result = Rehearsal<T>()
        do throws(LedgerError) {
            try await write(.normal) { transaction in
                let value = try body(transaction)
                result.value.withLock { $0 = value }
                throw LedgerError.rehearsed
            }
        } catch {
            guard error == .rehearsed, let value = result.value.withLock({ $0 }) else { throw error }
            return value
        }
        throw .failed("a rehearsal was committed")
    }

    /// Writes as much as a small campaign and rolls it back; throws what keeps the ledger from being written.
    ///
    /// In a file the pages reach the disk, so that a full one is found. A server that has no room for its data reports
    /// it here only when the table has to grow; its workers find out, and say so in their rows.
    public func testWrite() async throws(LedgerError) {
        try await rehearse { try $0.db.testWrite() }
    }
}

/// The result of a body, kept while the body is rolled back.
private final class Rehearsal<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
