import Synchronization

extension Ledger {
    /// Runs a body as `write` does, and rolls back what it wrote: what it would come to now.
    ///
    /// What it throws is thrown, as by `write`.
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

/// What a body came to before it was rolled back.
private final class Rehearsal<Value: Sendable>: Sendable {
    let value = Mutex<Value?>(nil)
}
