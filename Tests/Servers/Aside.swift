import Foundation

/// Runs what blocks on a thread of its own.
///
/// A test that blocks a thread of Swift's pool, which has one for each core, keeps it from a server in the same process: two
/// such tests at once wait for answers that nobody is left to give.
public func aside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
