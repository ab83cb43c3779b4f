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
}

/// The result of a body, kept while the body is rolled back.
private final class Rehearsal<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
