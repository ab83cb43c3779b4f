import Operations
import Store
import Synchronization

/// Forgets devices on their request; those that wait together share one pass through their app's lists.
///
/// May be used from any thread.
final class DeviceForgetting: Sendable {
    private struct Waiter {
        let device: RegisteredDevice
        let continuation: CheckedContinuation<Result<Void, LedgerError>, Never>
    }

    private struct State {
        var waiting: [Waiter] = []
        var isWorking = false
    }

    private let ledger: Ledger
    private let state = Mutex(State())

    init(_ ledger: Ledger) {
        self.ledger = ledger
    }

    /// Returns when the tombstone is stored; shards cut afterwards do not send to the device.
    func forget(_ device: RegisteredDevice) async throws(LedgerError) {
        let result = await withCheckedContinuation {
            (continuation: CheckedContinuation<Result<Void, LedgerError>, Never>) in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiter(device: device, continuation: continuation))
                defer { state.isWorking = true }
                return !state.isWorking
            }
            if isFirst { Task { await forgetAll() } }
        }
        try result.get()
    }

    /// Forgets until no request waits.
    private func forgetAll() async {
        while true {
            let batch = state.withLock { state in
                let batch = state.waiting
                state.waiting = []
                if batch.isEmpty { state.isWorking = false }
                return batch
            }
            if batch.isEmpty { return }
            for (app, waiters) in Dictionary(grouping: batch, by: \.device.app) {
                do throws(LedgerError) {
                    _ = try await Registry.forget(waiters.map(\.device), app: app, in: ledger)
                    for waiter in waiters { waiter.continuation.resume(returning: .success(())) }
                } catch {
                    for waiter in waiters { waiter.continuation.resume(returning: .failure(error)) }
                }
            }
        }
    }
}
