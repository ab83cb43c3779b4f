import Foundation

/// Runs a blocking body on its own thread.
///
/// Swift's pool has one thread per core. A test that blocks one takes it from a server in the same process: two such
/// tests at once wait for answers that no thread is left to give.
public func aside<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        Thread.detachNewThread { continuation.resume(with: Result { try body() }) }
    }
}
