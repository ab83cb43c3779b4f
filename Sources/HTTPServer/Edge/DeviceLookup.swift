import Store
import Synchronization

/// Finds devices by their secrets, all that wait with one read of the ledger: a rush costs a read for many.
///
/// May be used from any thread.
final class DeviceLookup: Sendable {
    /// Devices that one read looks for at most.
    private static let batchMax = 512

    private typealias Answer = Result<EdgeDevice?, LedgerError>

    private struct Waiter {
        let hash: [UInt8]
        let continuation: CheckedContinuation<Answer, Never>
    }

    private struct State {
        var waiting: [Waiter] = []
        var isReading = false
    }

    private let ledger: Ledger
    private let state = Mutex(State())

    init(_ ledger: Ledger) {
        self.ledger = ledger
    }

    /// The device with a secret, by its SHA-256; nil when nobody has it.
    func device(secretHash hash: [UInt8]) async throws(LedgerError) -> EdgeDevice? {
        let answer = await withCheckedContinuation { (continuation: CheckedContinuation<Answer, Never>) in
            let isFirst = state.withLock { state in
                state.waiting.append(Waiter(hash: hash, continuation: continuation))
                defer { state.isReading = true }
                return !state.isReading
            }
            if isFirst { Task { await readAll() } }
        }
        return try answer.get()
    }

    /// Reads until nobody waits.
    private func readAll() async {
        while true {
            let batch = state.withLock { state in
                let batch = Array(state.waiting.prefix(Self.batchMax))
                state.waiting.removeFirst(batch.count)
                if batch.isEmpty { state.isReading = false }
                return batch
            }
            if batch.isEmpty { return }
            let hashes = batch.map(\.hash)
            do throws(LedgerError) {
                let found = try await ledger.read { try $0.devices(secretHashes: hashes) }
                for waiter in batch { waiter.continuation.resume(returning: .success(found[waiter.hash])) }
            } catch {
                for waiter in batch { waiter.continuation.resume(returning: .failure(error)) }
            }
        }
    }
}
