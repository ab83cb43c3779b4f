import Campaigns
import Operations
import UnixSignals

/// Ctrl-C, or a signal to end, while a command has a whole system at work.
enum Interruption {
    /// Returns the result of `body`, or a failure as soon as a signal comes, which cancels `body`.
    static func result<Value: Sendable>(
        before signals: UnixSignalsSequence,
        _ body: @escaping @Sendable () async throws -> Value
    ) async -> Result<Value, any Error> {
        await withTaskGroup(of: Result<Value, any Error>.self) { group in
            group.addTask {
                do { return .success(try await body()) } catch { return .failure(error) }
            }
            group.addTask {
                for await _ in signals { break }
                return .failure(CommandFailure(.failed, "interrupted; everything that was started is ended"))
            }
            let result = await group.next()
            group.cancelAll()
            return result ?? .failure(CancellationError())
        }
    }
}
